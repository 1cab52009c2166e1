from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.domain import Domain
from ...models.domains_update_body import DomainsUpdateBody


def _get_kwargs(
    account_id: UUID,
    domain: str,
    *,
    body: DomainsUpdateBody,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/v2/accounts/{account_id}/domains/{domain}".format(
            account_id=quote(str(account_id), safe=""),
            domain=quote(str(domain), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(response: httpx.Response) -> Domain:
    response_200 = Domain.from_dict(response.json())

    return response_200
