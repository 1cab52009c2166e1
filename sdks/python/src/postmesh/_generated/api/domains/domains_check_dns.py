from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.domain import Domain


def _get_kwargs(
    account_id: UUID,
    domain: str,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v2/accounts/{account_id}/domains/{domain}/check-dns".format(
            account_id=quote(str(account_id), safe=""),
            domain=quote(str(domain), safe=""),
        ),
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> Domain:
    response_200 = Domain.from_dict(response.json())

    return response_200
