from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.added_contacts import AddedContacts
from ...models.lists_add_contacts_body import ListsAddContactsBody
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    list_id: UUID,
    *,
    body: ListsAddContactsBody,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v2/accounts/{account_id}/lists/{list_id}/contacts/batch".format(
            account_id=quote(str(account_id), safe=""),
            list_id=quote(str(list_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(response: httpx.Response) -> AddedContacts:
    response_200 = AddedContacts.from_dict(response.json())

    return response_200
