from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.webhook_page import WebhookPage
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    *,
    enabled: bool | Unset = UNSET,
    on_reception: bool | Unset = UNSET,
    on_delivered: bool | Unset = UNSET,
    on_transient_error: bool | Unset = UNSET,
    on_failed: bool | Unset = UNSET,
    on_bounced: bool | Unset = UNSET,
    on_suppressed: bool | Unset = UNSET,
    on_opened: bool | Unset = UNSET,
    on_clicked: bool | Unset = UNSET,
    on_suppression_created: bool | Unset = UNSET,
    on_dns_error: bool | Unset = UNSET,
    limit: int | Unset = 100,
    after: str | Unset = UNSET,
    before: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["enabled"] = enabled

    params["on_reception"] = on_reception

    params["on_delivered"] = on_delivered

    params["on_transient_error"] = on_transient_error

    params["on_failed"] = on_failed

    params["on_bounced"] = on_bounced

    params["on_suppressed"] = on_suppressed

    params["on_opened"] = on_opened

    params["on_clicked"] = on_clicked

    params["on_suppression_created"] = on_suppression_created

    params["on_dns_error"] = on_dns_error

    params["limit"] = limit

    params["after"] = after

    params["before"] = before

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v2/accounts/{account_id}/webhooks".format(
            account_id=quote(str(account_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> WebhookPage:
    response_200 = WebhookPage.from_dict(response.json())

    return response_200
