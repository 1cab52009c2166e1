from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.member_list import MemberList


def _get_kwargs(
    account_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v2/accounts/{account_id}/members".format(
            account_id=quote(str(account_id), safe=""),
        ),
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> MemberList:
    response_200 = MemberList.from_dict(response.json())

    return response_200
