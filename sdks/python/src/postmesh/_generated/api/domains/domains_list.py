from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.domain_page import DomainPage
from ...models.domains_list_sending_type import DomainsListSendingType
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    *,
    dns_valid: bool | Unset = UNSET,
    sending_type: DomainsListSendingType | Unset = UNSET,
    limit: int | Unset = 100,
    after: str | Unset = UNSET,
    before: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["dns_valid"] = dns_valid

    json_sending_type: str | Unset = UNSET
    if not isinstance(sending_type, Unset):
        json_sending_type = sending_type

    params["sending_type"] = json_sending_type

    params["limit"] = limit

    params["after"] = after

    params["before"] = before

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v2/accounts/{account_id}/domains".format(
            account_id=quote(str(account_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> DomainPage:
    response_200 = DomainPage.from_dict(response.json())

    return response_200
