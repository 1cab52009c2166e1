from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.campaign_test_result_list import CampaignTestResultList
from ...models.campaigns_test_send_body import CampaignsTestSendBody
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    campaign_id: UUID,
    *,
    body: CampaignsTestSendBody,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v2/accounts/{account_id}/campaigns/{campaign_id}/test-send".format(
            account_id=quote(str(account_id), safe=""),
            campaign_id=quote(str(campaign_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(response: httpx.Response) -> CampaignTestResultList:
    response_202 = CampaignTestResultList.from_dict(response.json())

    return response_202
