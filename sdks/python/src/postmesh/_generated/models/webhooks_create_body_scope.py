from typing import Literal

WebhooksCreateBodyScope = Literal["global", "scoped"]

WEBHOOKS_CREATE_BODY_SCOPE_VALUES: set[WebhooksCreateBodyScope] = {
    "global",
    "scoped",
}


def check_webhooks_create_body_scope(value: str) -> WebhooksCreateBodyScope:
    if value in WEBHOOKS_CREATE_BODY_SCOPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {WEBHOOKS_CREATE_BODY_SCOPE_VALUES!r}")
