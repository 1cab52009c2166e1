from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.messages_send_template_body import MessagesSendTemplateBody
from ...models.send_result_list import SendResultList
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    *,
    body: MessagesSendTemplateBody,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v2/accounts/{account_id}/messages/template".format(
            account_id=quote(str(account_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(response: httpx.Response) -> SendResultList:
    response_202 = SendResultList.from_dict(response.json())

    return response_202
