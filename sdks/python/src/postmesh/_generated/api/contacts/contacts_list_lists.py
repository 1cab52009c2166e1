from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.contact_list_membership_page import ContactListMembershipPage
from ...models.contacts_list_lists_subscription_status import (
    ContactsListListsSubscriptionStatus,
)
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    id_or_email: str,
    *,
    subscription_status: ContactsListListsSubscriptionStatus | Unset = UNSET,
    limit: int | Unset = 100,
    after: str | Unset = UNSET,
    before: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_subscription_status: str | Unset = UNSET
    if not isinstance(subscription_status, Unset):
        json_subscription_status = subscription_status

    params["subscription_status"] = json_subscription_status

    params["limit"] = limit

    params["after"] = after

    params["before"] = before

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v2/accounts/{account_id}/contacts/{id_or_email}/lists".format(
            account_id=quote(str(account_id), safe=""),
            id_or_email=quote(str(id_or_email), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> ContactListMembershipPage:
    response_200 = ContactListMembershipPage.from_dict(response.json())

    return response_200
