import datetime
from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.bounce_bucket_list import BounceBucketList
from ...models.statistics_bounce_group_by import StatisticsBounceGroupBy
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    *,
    from_time: datetime.datetime | Unset = UNSET,
    to_time: datetime.datetime | Unset = UNSET,
    sender_domain: str | Unset = UNSET,
    recipient_domains: str | Unset = UNSET,
    tags: str | Unset = UNSET,
    group_by: StatisticsBounceGroupBy | Unset = "day",
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_from_time: str | Unset = UNSET
    if not isinstance(from_time, Unset):
        json_from_time = from_time.isoformat()
    params["from_time"] = json_from_time

    json_to_time: str | Unset = UNSET
    if not isinstance(to_time, Unset):
        json_to_time = to_time.isoformat()
    params["to_time"] = json_to_time

    params["sender_domain"] = sender_domain

    params["recipient_domains"] = recipient_domains

    params["tags"] = tags

    json_group_by: str | Unset = UNSET
    if not isinstance(group_by, Unset):
        json_group_by = group_by

    params["group_by"] = json_group_by

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v2/accounts/{account_id}/statistics/transactional/bounce".format(
            account_id=quote(str(account_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> BounceBucketList:
    response_200 = BounceBucketList.from_dict(response.json())

    return response_200
