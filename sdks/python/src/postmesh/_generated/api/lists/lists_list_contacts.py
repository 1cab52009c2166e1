from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.list_member_page import ListMemberPage
from ...models.lists_list_contacts_subscription_status import (
    ListsListContactsSubscriptionStatus,
)
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    list_id: UUID,
    *,
    subscription_status: ListsListContactsSubscriptionStatus | Unset = UNSET,
    email: str | Unset = UNSET,
    include_contacts: bool | Unset = UNSET,
    limit: int | Unset = 100,
    after: str | Unset = UNSET,
    before: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_subscription_status: str | Unset = UNSET
    if not isinstance(subscription_status, Unset):
        json_subscription_status = subscription_status

    params["subscription_status"] = json_subscription_status

    params["email"] = email

    params["include_contacts"] = include_contacts

    params["limit"] = limit

    params["after"] = after

    params["before"] = before

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v2/accounts/{account_id}/lists/{list_id}/contacts".format(
            account_id=quote(str(account_id), safe=""),
            list_id=quote(str(list_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> ListMemberPage:
    response_200 = ListMemberPage.from_dict(response.json())

    return response_200
