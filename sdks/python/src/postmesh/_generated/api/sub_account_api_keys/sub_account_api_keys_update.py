from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.api_key import ApiKey
from ...models.sub_account_api_keys_update_body import SubAccountApiKeysUpdateBody


def _get_kwargs(
    account_id: UUID,
    sub_account_id: UUID,
    key_id: UUID,
    *,
    body: SubAccountApiKeysUpdateBody,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/v2/accounts/{account_id}/sub-accounts/{sub_account_id}/api-keys/{key_id}".format(
            account_id=quote(str(account_id), safe=""),
            sub_account_id=quote(str(sub_account_id), safe=""),
            key_id=quote(str(key_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(response: httpx.Response) -> ApiKey:
    response_200 = ApiKey.from_dict(response.json())

    return response_200
