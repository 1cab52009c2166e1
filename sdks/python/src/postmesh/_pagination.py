from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Any, ParamSpec, Protocol, TypeVar

from ._errors import PostmeshError

P = ParamSpec("P")
Item = TypeVar("Item")
Item_co = TypeVar("Item_co", covariant=True)


class Page(Protocol[Item_co]):
    @property
    def data(self) -> Sequence[Item_co]: ...
    @property
    def pagination(self) -> Any: ...


def paginate(list_page: Callable[P, Page[Item]], *args: P.args, **filters: P.kwargs) -> Iterator[Item]:
    """Every item of a list, page by page as they are asked for: `paginate(postmesh.messages.list, tags="order")`."""
    while True:
        page = list_page(*args, **filters)
        yield from page.data
        if not page.pagination.has_more:
            return
        filters["after"] = _next_after(page.pagination, filters.get("after"))


async def paginate_async(
    list_page: Callable[P, Awaitable[Page[Item]]], *args: P.args, **filters: P.kwargs
) -> AsyncIterator[Item]:
    """The same for `AsyncPostmesh`: `async for message in paginate_async(postmesh.messages.list)`."""
    while True:
        page = await list_page(*args, **filters)
        for item in page.data:
            yield item
        if not page.pagination.has_more:
            return
        filters["after"] = _next_after(page.pagination, filters.get("after"))


def _next_after(pagination: Any, after: object) -> Any:
    """A list that leaves `after` out would get the first page for ever."""
    if pagination.next_cursor == after:
        raise PostmeshError("the next page is the same: give `after` to the list")
    return pagination.next_cursor
