from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.message import Message
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    *,
    email: str,
    domain: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["email"] = email

    params["domain"] = domain

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "delete",
        "url": "/v2/accounts/{account_id}/suppressions".format(
            account_id=quote(str(account_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> Message:
    response_200 = Message.from_dict(response.json())

    return response_200
