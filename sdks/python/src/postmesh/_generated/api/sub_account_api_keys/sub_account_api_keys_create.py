from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.created_api_key import CreatedApiKey
from ...models.sub_account_api_keys_create_body import SubAccountApiKeysCreateBody
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    sub_account_id: UUID,
    *,
    body: SubAccountApiKeysCreateBody,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/api-keys".format(
            account_id=quote(str(account_id), safe=""),
            sub_account_id=quote(str(sub_account_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(response: httpx.Response) -> CreatedApiKey:
    response_201 = CreatedApiKey.from_dict(response.json())

    return response_201
