from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.list_contact import ListContact
from ...models.lists_put_contact_body import ListsPutContactBody


def _get_kwargs(
    account_id: UUID,
    list_id: UUID,
    id_or_email: str,
    *,
    body: ListsPutContactBody,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/v2/accounts/{account_id}/lists/{list_id}/contacts/{id_or_email}".format(
            account_id=quote(str(account_id), safe=""),
            list_id=quote(str(list_id), safe=""),
            id_or_email=quote(str(id_or_email), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(response: httpx.Response) -> ListContact:
    response_200 = ListContact.from_dict(response.json())

    return response_200
