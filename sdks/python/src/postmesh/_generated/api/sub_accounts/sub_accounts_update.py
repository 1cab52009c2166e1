from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.sub_account import SubAccount
from ...models.sub_accounts_update_body import SubAccountsUpdateBody


def _get_kwargs(
    account_id: UUID,
    sub_account_id: UUID,
    *,
    body: SubAccountsUpdateBody,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/v2/accounts/{account_id}/sub-accounts/{sub_account_id}".format(
            account_id=quote(str(account_id), safe=""),
            sub_account_id=quote(str(sub_account_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(response: httpx.Response) -> SubAccount:
    response_200 = SubAccount.from_dict(response.json())

    return response_200
