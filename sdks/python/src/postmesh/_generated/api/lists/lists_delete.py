from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.message import Message


def _get_kwargs(
    account_id: UUID,
    list_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "delete",
        "url": "/v2/accounts/{account_id}/lists/{list_id}".format(
            account_id=quote(str(account_id), safe=""),
            list_id=quote(str(list_id), safe=""),
        ),
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> Message:
    response_200 = Message.from_dict(response.json())

    return response_200
