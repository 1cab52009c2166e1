"""What the e-mail backends of Django and of Flask-Mailman, whose messages have the same fields, share."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from email.message import Message
from email.utils import getaddresses, parseaddr
from typing import Any

from ._client import Postmesh
from ._errors import PostmeshError


class MailBackend:
    """Sends each message by the API, as one conversation. Settings: `POSTMESH_BASE_URL`, `POSTMESH_API_KEY` and
    `POSTMESH_ACCOUNT_ID`, else the environment's. `message.esp_extra`, a dict, holds fields of the API that messages have no
    words for (`tags`, `tracking`, `schedule`, …) and `idempotency_key`; `message.postmesh_result` has the response. A message
    of which no recipient is accepted is a failure."""

    fail_silently: bool
    _client: Postmesh | None = None

    def _setting(self, name: str) -> Any:
        raise NotImplementedError

    def open(self) -> bool:
        if self._client is not None:
            return False
        given = {name: self._setting(f"POSTMESH_{name.upper()}") for name in ("base_url", "api_key", "account_id")}
        self._client = Postmesh(**given)
        return True

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = None

    def send_messages(self, email_messages: Sequence[Any]) -> int:
        is_new = self.open()
        try:
            return sum(self._send(message) for message in email_messages)
        finally:
            if is_new:
                self.close()

    def _send(self, message: Any) -> bool:
        if not message.recipients() or self._client is None:
            return False
        extra = dict(getattr(message, "esp_extra", {}))
        key = extra.pop("idempotency_key", None)
        try:
            result = self._client.messages.send_conversation(body={**body_of(message), **extra}, idempotency_key=key or "")
            message.postmesh_result = result
            if all(one.status == "error" for one in result.data):
                raise PostmeshError(f"no recipient was accepted: {result.data[0].error}")
        except PostmeshError:
            if not self.fail_silently:
                raise
            return False
        return True


_ALTERNATIVES = {"text/html": "html_content", "text/x-amp-html": "amp_content"}


def body_of(message: Any) -> dict[str, Any]:
    """What the API has not is refused by name, never dropped in silence."""
    if not message.to:
        raise PostmeshError("to is missing: bcc alone is not supported by the API")
    if len(message.reply_to) > 1:
        raise PostmeshError("the API takes one address in reply_to")
    content = "html_content" if message.content_subtype == "html" else "text_content"
    body: dict[str, Any] = {
        "from": _person(*parseaddr(str(message.from_email))),
        "subject": str(message.subject),
        content: str(message.body),
    }
    for name in ("to", "cc", "bcc"):
        if addresses := getattr(message, name):
            body[name] = [_person(*pair) for pair in getaddresses([str(one) for one in addresses])]
    if message.reply_to:
        body["reply_to"] = _person(*parseaddr(str(message.reply_to[0])))
    for text, mimetype in getattr(message, "alternatives", []):
        if mimetype not in _ALTERNATIVES:
            raise PostmeshError(f"not supported by the API: an alternative of the type {mimetype}")
        body[_ALTERNATIVES[mimetype]] = str(text)
    if message.attachments:
        body["attachments"] = [_attachment(one) for one in message.attachments]
    if message.extra_headers:
        body["headers"] = [{"name": name, "value": str(value)} for name, value in message.extra_headers.items()]
    return body


def _person(name: str, address: str) -> dict[str, str]:
    return {"email": address, "name": name} if name else {"email": address}


def _attachment(given: Any) -> dict[str, Any]:
    disposition: str | None = None
    content_id: str | None = None
    if isinstance(given, Message):
        name, mimetype = given.get_filename(), given.get_content_type()
        content: Any = given.get_payload(decode=True)
        disposition, content_id = given.get_content_disposition(), given.get("Content-ID")
    else:
        name, content, mimetype = given
    if isinstance(content, Message):
        content = content.as_bytes()
    elif hasattr(content, "message"):
        content = content.message().as_bytes()
    data = content.encode() if isinstance(content, str) else content
    attachment = {
        "data": base64.b64encode(data or b"").decode(),
        "base64": True,
        "content_type": mimetype or "application/octet-stream",
        "file_name": name or "attachment",
    }
    if disposition:
        attachment["content_disposition"] = disposition
    if content_id:
        attachment["content_id"] = content_id
    return attachment
