from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.account import Account
from ...models.account_update_body import AccountUpdateBody


def _get_kwargs(
    account_id: UUID,
    *,
    body: AccountUpdateBody,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/v2/accounts/{account_id}".format(
            account_id=quote(str(account_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(response: httpx.Response) -> Account:
    response_200 = Account.from_dict(response.json())

    return response_200
