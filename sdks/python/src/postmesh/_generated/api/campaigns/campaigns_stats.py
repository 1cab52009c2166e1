from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.campaign_stats import CampaignStats


def _get_kwargs(
    account_id: UUID,
    campaign_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v2/accounts/{account_id}/campaigns/{campaign_id}/stats".format(
            account_id=quote(str(account_id), safe=""),
            campaign_id=quote(str(campaign_id), safe=""),
        ),
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> CampaignStats:
    response_200 = CampaignStats.from_dict(response.json())

    return response_200
