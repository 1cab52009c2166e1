from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.template import Template
from ...models.templates_update_body import TemplatesUpdateBody
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    template_id: UUID,
    *,
    body: TemplatesUpdateBody,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/v2/accounts/{account_id}/templates/{template_id}".format(
            account_id=quote(str(account_id), safe=""),
            template_id=quote(str(template_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(response: httpx.Response) -> Template:
    response_200 = Template.from_dict(response.json())

    return response_200
