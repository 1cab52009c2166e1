from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...models.template_version_detail import TemplateVersionDetail


def _get_kwargs(
    account_id: UUID,
    template_id: UUID,
    version_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v2/accounts/{account_id}/templates/{template_id}/versions/{version_id}".format(
            account_id=quote(str(account_id), safe=""),
            template_id=quote(str(template_id), safe=""),
            version_id=quote(str(version_id), safe=""),
        ),
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> TemplateVersionDetail:
    response_200 = TemplateVersionDetail.from_dict(response.json())

    return response_200
