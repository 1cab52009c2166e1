import datetime
from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.message_summary_page import MessageSummaryPage
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    *,
    status: str | Unset = UNSET,
    sender: str | Unset = UNSET,
    recipient: str | Unset = UNSET,
    subject: str | Unset = UNSET,
    message_id_header: str | Unset = UNSET,
    tags: str | Unset = UNSET,
    from_time: datetime.datetime | Unset = UNSET,
    to_time: datetime.datetime | Unset = UNSET,
    limit: int | Unset = 100,
    after: str | Unset = UNSET,
    before: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["status"] = status

    params["sender"] = sender

    params["recipient"] = recipient

    params["subject"] = subject

    params["message_id_header"] = message_id_header

    params["tags"] = tags

    json_from_time: str | Unset = UNSET
    if not isinstance(from_time, Unset):
        json_from_time = from_time.isoformat()
    params["from_time"] = json_from_time

    json_to_time: str | Unset = UNSET
    if not isinstance(to_time, Unset):
        json_to_time = to_time.isoformat()
    params["to_time"] = json_to_time

    params["limit"] = limit

    params["after"] = after

    params["before"] = before

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v2/accounts/{account_id}/messages".format(
            account_id=quote(str(account_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> MessageSummaryPage:
    response_200 = MessageSummaryPage.from_dict(response.json())

    return response_200
