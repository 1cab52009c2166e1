from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.contact_list import ContactList
from ...models.lists_create_body import ListsCreateBody
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    *,
    body: ListsCreateBody,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v2/accounts/{account_id}/lists".format(
            account_id=quote(str(account_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(response: httpx.Response) -> ContactList:
    response_201 = ContactList.from_dict(response.json())

    return response_201
