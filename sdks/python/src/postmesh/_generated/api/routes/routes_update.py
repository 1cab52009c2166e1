from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.route import Route
from ...models.routes_update_body import RoutesUpdateBody


def _get_kwargs(
    account_id: UUID,
    route_id: UUID,
    *,
    body: RoutesUpdateBody,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/v2/accounts/{account_id}/routes/{route_id}".format(
            account_id=quote(str(account_id), safe=""),
            route_id=quote(str(route_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(response: httpx.Response) -> Route:
    response_200 = Route.from_dict(response.json())

    return response_200
