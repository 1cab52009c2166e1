from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.webhook import Webhook


def _get_kwargs(
    account_id: UUID,
    webhook_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v2/accounts/{account_id}/webhooks/{webhook_id}".format(
            account_id=quote(str(account_id), safe=""),
            webhook_id=quote(str(webhook_id), safe=""),
        ),
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> Webhook:
    response_200 = Webhook.from_dict(response.json())

    return response_200
