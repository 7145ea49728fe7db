"""Check the rules for all pictures on every picture that a test of this folder makes."""

import pytest

from pages._view.picture import Picture
from tests.figures.drawing import whole


@pytest.fixture(scope="module", autouse=True)
def every_picture_is_whole():
    made = Picture.__init__

    def make(self, *args, **kwargs):
        made(self, *args, **kwargs)
        whole(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Picture, "__init__", make)
        yield
