from typing import Any

import httpx

from ...models.message import Message


def _get_kwargs() -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v2/ping",
    }

    return _kwargs


def _parse_response(response: httpx.Response) -> Message:
    response_200 = Message.from_dict(response.json())

    return response_200
