from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.campaign import Campaign
from ...models.campaigns_update_body import CampaignsUpdateBody
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    campaign_id: UUID,
    *,
    body: CampaignsUpdateBody,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/v2/accounts/{account_id}/campaigns/{campaign_id}".format(
            account_id=quote(str(account_id), safe=""),
            campaign_id=quote(str(campaign_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(response: httpx.Response) -> Campaign:
    response_200 = Campaign.from_dict(response.json())

    return response_200
