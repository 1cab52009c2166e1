from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.sub_account import SubAccount
from ...models.sub_accounts_create_body import SubAccountsCreateBody
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    *,
    body: SubAccountsCreateBody,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v2/accounts/{account_id}/sub-accounts".format(
            account_id=quote(str(account_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(response: httpx.Response) -> SubAccount:
    response_201 = SubAccount.from_dict(response.json())

    return response_201
