from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.route import Route


def _get_kwargs(
    account_id: UUID,
    route_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v2/accounts/{account_id}/routes/{route_id}".format(
            account_id=quote(str(account_id), safe=""),
            route_id=quote(str(route_id), safe=""),
        ),
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> Route:
    response_200 = Route.from_dict(response.json())

    return response_200
