from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.campaign_recipient_page import CampaignRecipientPage
from ...models.campaigns_recipients_status import CampaignsRecipientsStatus
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    campaign_id: UUID,
    *,
    status: CampaignsRecipientsStatus | Unset = UNSET,
    email: str | Unset = UNSET,
    opened: bool | Unset = UNSET,
    clicked: bool | Unset = UNSET,
    unsubscribed: bool | Unset = UNSET,
    complained: bool | Unset = UNSET,
    limit: int | Unset = 100,
    after: str | Unset = UNSET,
    before: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_status: str | Unset = UNSET
    if not isinstance(status, Unset):
        json_status = status

    params["status"] = json_status

    params["email"] = email

    params["opened"] = opened

    params["clicked"] = clicked

    params["unsubscribed"] = unsubscribed

    params["complained"] = complained

    params["limit"] = limit

    params["after"] = after

    params["before"] = before

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v2/accounts/{account_id}/campaigns/{campaign_id}/recipients".format(
            account_id=quote(str(account_id), safe=""),
            campaign_id=quote(str(campaign_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> CampaignRecipientPage:
    response_200 = CampaignRecipientPage.from_dict(response.json())

    return response_200
