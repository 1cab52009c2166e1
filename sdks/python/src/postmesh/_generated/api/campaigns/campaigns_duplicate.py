from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.campaign import Campaign
from ...models.campaigns_duplicate_body import CampaignsDuplicateBody
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    campaign_id: UUID,
    *,
    body: CampaignsDuplicateBody | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v2/accounts/{account_id}/campaigns/{campaign_id}/duplicate".format(
            account_id=quote(str(account_id), safe=""),
            campaign_id=quote(str(campaign_id), safe=""),
        ),
    }

    if not isinstance(body, Unset):
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(response: httpx.Response) -> Campaign:
    response_201 = Campaign.from_dict(response.json())

    return response_201
