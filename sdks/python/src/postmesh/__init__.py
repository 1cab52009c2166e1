"""Official Python SDK of Postmesh, the open-source email delivery service."""

from ._client import AsyncPostmesh, Postmesh
from ._errors import (
    ApiError,
    AuthenticationError,
    ConflictError,
    IdempotencyMismatchError,
    InvalidRequestError,
    NoResponseError,
    NotFoundError,
    PermissionDeniedError,
    PostmeshError,
    RateLimitError,
    ServerError,
    WebhookVerificationError,
)
from ._pagination import paginate, paginate_async
from ._retries import Retries
from ._version import __version__
from ._webhooks import UnknownEvent, WebhookEvent, verify_webhook

__all__ = [
    "ApiError",
    "AsyncPostmesh",
    "AuthenticationError",
    "ConflictError",
    "IdempotencyMismatchError",
    "InvalidRequestError",
    "NoResponseError",
    "NotFoundError",
    "PermissionDeniedError",
    "Postmesh",
    "PostmeshError",
    "RateLimitError",
    "Retries",
    "ServerError",
    "UnknownEvent",
    "WebhookEvent",
    "WebhookVerificationError",
    "__version__",
    "paginate",
    "paginate_async",
    "verify_webhook",
]
