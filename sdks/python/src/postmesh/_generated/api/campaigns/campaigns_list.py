import datetime
from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.campaign_list_item_page import CampaignListItemPage
from ...models.campaigns_list_status_item import CampaignsListStatusItem
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    *,
    status: list[CampaignsListStatusItem] | Unset = UNSET,
    name: str | Unset = UNSET,
    from_time: datetime.datetime | Unset = UNSET,
    to_time: datetime.datetime | Unset = UNSET,
    limit: int | Unset = 100,
    after: str | Unset = UNSET,
    before: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_status: list[str] | Unset = UNSET
    if not isinstance(status, Unset):
        json_status = []
        for status_item_data in status:
            status_item: str = status_item_data
            json_status.append(status_item)

    params["status"] = json_status

    params["name"] = name

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
        "url": "/v2/accounts/{account_id}/campaigns".format(
            account_id=quote(str(account_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> CampaignListItemPage:
    response_200 = CampaignListItemPage.from_dict(response.json())

    return response_200
