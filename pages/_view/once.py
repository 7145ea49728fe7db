"""A property that is computed once for each object, without a lock.

Before Python 3.12 `functools.cached_property` held one lock for all objects of a class while it computed: every request
for a page waited for the picture of every other one.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as once
else:

    class once:  # used as a decorator, like `property`
        """Cache the decorated method's result in its object; two threads may both compute it."""

        def __init__(self, method) -> None:
            self._method, self.__doc__ = method, method.__doc__

        def __get__(self, instance, owner=None) -> Any:
            if instance is None:
                return self
            found = instance.__dict__[self._method.__name__] = self._method(instance)
            return found


__all__ = ["once"]
