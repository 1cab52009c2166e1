from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ._errors import WebhookVerificationError
from ._generated import models

_MODELS: dict[str, Any] = {
    "domain.dns_error": models.DomainDnsErrorEvent,
    "message.bounced": models.MessageBouncedEvent,
    "message.clicked": models.MessageClickedEvent,
    "message.delivered": models.MessageDeliveredEvent,
    "message.failed": models.MessageFailedEvent,
    "message.opened": models.MessageOpenedEvent,
    "message.reception": models.MessageReceptionEvent,
    "message.routing": models.RouteCall,
    "message.suppressed": models.MessageSuppressedEvent,
    "message.transient_error": models.MessageTransientErrorEvent,
    "suppression.created": models.SuppressionCreatedEvent,
}


@dataclass(frozen=True)
class UnknownEvent:
    """Of a type that only a newer server knows."""

    type_: str
    data: dict[str, Any]


#: By `type_`.
WebhookEvent: TypeAlias = (
    models.DomainDnsErrorEvent
    | models.MessageBouncedEvent
    | models.MessageClickedEvent
    | models.MessageDeliveredEvent
    | models.MessageFailedEvent
    | models.MessageOpenedEvent
    | models.MessageReceptionEvent
    | models.RouteCall
    | models.MessageSuppressedEvent
    | models.MessageTransientErrorEvent
    | models.SuppressionCreatedEvent
    | UnknownEvent
)


def verify_webhook(
    *,
    secret: str,
    headers: Mapping[str, str],
    body: bytes,
    tolerance: float = 300.0,
    now: float | None = None,
) -> WebhookEvent:
    """Checks signature and timestamp of a webhook or route call; the same `webhook-id` may come again: take it once.

    `secret`: as it was handed out, prefix included. `body`: the bytes that arrived. `tolerance`: seconds between the call's
    timestamp and now. Raises WebhookVerificationError: answer with 400.
    """
    given = {name.lower(): value for name, value in headers.items()}
    call_id, timestamp, signatures = (_header(given, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if not secret:
        raise WebhookVerificationError("the secret is empty")
    if not re.fullmatch("[0-9]{1,12}", timestamp):
        raise WebhookVerificationError("webhook-timestamp is no number")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise WebhookVerificationError(f"webhook-timestamp is more than {tolerance:g} seconds away")
    signed = f"{call_id}.{timestamp}.".encode() + body
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).digest()
    wanted = b"v1," + base64.b64encode(digest)
    if not any(hmac.compare_digest(one.encode(), wanted) for one in signatures.split(" ")):
        raise WebhookVerificationError("webhook-signature does not fit")
    event = json.loads(body)
    model = _MODELS.get(event["type"])
    return UnknownEvent(event["type"], event.get("data", {})) if model is None else model.from_dict(event)


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if not value:
        raise WebhookVerificationError(f"the header {name} is missing")
    return value
