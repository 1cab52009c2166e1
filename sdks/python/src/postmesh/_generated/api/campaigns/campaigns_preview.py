from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.campaigns_preview_body import CampaignsPreviewBody
from ...models.message_preview import MessagePreview
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    campaign_id: UUID,
    *,
    body: CampaignsPreviewBody | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v2/accounts/{account_id}/campaigns/{campaign_id}/preview".format(
            account_id=quote(str(account_id), safe=""),
            campaign_id=quote(str(campaign_id), safe=""),
        ),
    }

    if not isinstance(body, Unset):
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(response: httpx.Response) -> MessagePreview:
    response_200 = MessagePreview.from_dict(response.json())

    return response_200
