from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.message import Message
from ...models.webhooks_recover_body import WebhooksRecoverBody
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    webhook_id: UUID,
    *,
    body: WebhooksRecoverBody | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v2/accounts/{account_id}/webhooks/{webhook_id}/recover".format(
            account_id=quote(str(account_id), safe=""),
            webhook_id=quote(str(webhook_id), safe=""),
        ),
    }

    if not isinstance(body, Unset):
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(response: httpx.Response) -> Message:
    response_202 = Message.from_dict(response.json())

    return response_202
