from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.member import Member
from ...models.members_update_body import MembersUpdateBody


def _get_kwargs(
    account_id: UUID,
    user_id: UUID,
    *,
    body: MembersUpdateBody,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/v2/accounts/{account_id}/members/{user_id}".format(
            account_id=quote(str(account_id), safe=""),
            user_id=quote(str(user_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(response: httpx.Response) -> Member:
    response_200 = Member.from_dict(response.json())

    return response_200
