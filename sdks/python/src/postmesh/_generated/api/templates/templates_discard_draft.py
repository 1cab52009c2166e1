from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.template import Template


def _get_kwargs(
    account_id: UUID,
    template_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "delete",
        "url": "/v2/accounts/{account_id}/templates/{template_id}/draft".format(
            account_id=quote(str(account_id), safe=""),
            template_id=quote(str(template_id), safe=""),
        ),
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> Template:
    response_200 = Template.from_dict(response.json())

    return response_200
