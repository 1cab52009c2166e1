from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.template_list_item_page import TemplateListItemPage
from ...types import UNSET, Unset


def _get_kwargs(
    account_id: UUID,
    *,
    limit: int | Unset = 100,
    after: str | Unset = UNSET,
    before: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["limit"] = limit

    params["after"] = after

    params["before"] = before

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v2/accounts/{account_id}/templates".format(
            account_id=quote(str(account_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> TemplateListItemPage:
    response_200 = TemplateListItemPage.from_dict(response.json())

    return response_200
