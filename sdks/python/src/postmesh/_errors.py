from __future__ import annotations

import json
import re
import time
from email.utils import parsedate_to_datetime

import httpx


class PostmeshError(Exception):
    """Any failure of this SDK."""


class NoResponseError(PostmeshError):
    """No response within the bounds of the retries. The request may have been done: the same idempotency key finds out."""


class WebhookVerificationError(PostmeshError):
    """A webhook call whose signature or timestamp does not fit."""


class ApiError(PostmeshError):
    """A response that is not 2xx. Its text is for people; programs look at the class, or at `status`.

    `request_id`: the response's `x-request-id`, to name when you ask for help. `retry_after`: seconds of `Retry-After`.
    `required_scope`: of a 403 for want of a scope, the scopes that would do.
    """

    def __init__(self, response: httpx.Response) -> None:
        super().__init__(_message_of(response))
        self.status = response.status_code
        self.request_id = response.headers.get("x-request-id")
        self.retry_after = retry_after_of(response)
        scope = re.search(r'scope="([^"]*)"', response.headers.get("www-authenticate", ""))
        self.required_scope = scope[1] if scope else None


class InvalidRequestError(ApiError):
    """400, 413, 415: the request has to change."""


class AuthenticationError(ApiError):
    """401"""


class PermissionDeniedError(ApiError):
    """403"""


class NotFoundError(ApiError):
    """404"""


class ConflictError(ApiError):
    """409: it exists already, its state does not allow this, or a request with the same key is in progress."""


class IdempotencyMismatchError(ApiError):
    """422: the idempotency key belongs to another request."""


class RateLimitError(ApiError):
    """429, after all retries"""


class ServerError(ApiError):
    """5xx, after all retries"""


_BY_STATUS: dict[int, type[ApiError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: IdempotencyMismatchError,
    429: RateLimitError,
}


def error_of(response: httpx.Response) -> ApiError:
    kind = _BY_STATUS.get(response.status_code)
    if kind is None:
        kind = ServerError if response.status_code >= 500 else ApiError
    return kind(response)


def retry_after_of(response: httpx.Response) -> float | None:
    """Seconds, or a date (RFC 9110 §10.2.3), as seconds from now. None when there is none that can be read."""
    value = response.headers.get("retry-after", "")
    if re.fullmatch("[0-9]+", value):
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _message_of(response: httpx.Response) -> str:
    """Every error of the API is `{"message": "…"}`; a proxy before it has pages of its own."""
    try:
        body = json.loads(response.content)
    except ValueError:
        body = None
    message = body.get("message") if isinstance(body, dict) else None
    return message if isinstance(message, str) else f"status {response.status_code}"
