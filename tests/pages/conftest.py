"""Pages as a server shows them that has shown one before."""

import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import app_test


class WarmPagesManager(PagesManager):
    """The state of a server on which `st.navigation` has run."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        PagesManager.uses_pages_directory = False


@pytest.fixture(autouse=True)
def warm_server(monkeypatch):
    monkeypatch.setattr(app_test, "PagesManager", WarmPagesManager)
