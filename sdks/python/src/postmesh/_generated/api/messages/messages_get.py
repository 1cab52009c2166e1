from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.message_record import MessageRecord
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    message_id: str,
    *,
    recipient: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["recipient"] = recipient

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v2/accounts/{account_id}/messages/{message_id}".format(
            account_id=quote(str(account_id), safe=""),
            message_id=quote(str(message_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> MessageRecord:
    response_200 = MessageRecord.from_dict(response.json())

    return response_200
