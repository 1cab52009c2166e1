from typing import Literal

WebhooksUpdateBodyScopeType2Type1 = Literal["global", "scoped"]

WEBHOOKS_UPDATE_BODY_SCOPE_TYPE_2_TYPE_1_VALUES: set[WebhooksUpdateBodyScopeType2Type1] = {
    "global",
    "scoped",
}


def check_webhooks_update_body_scope_type_2_type_1(value: str) -> WebhooksUpdateBodyScopeType2Type1:
    if value in WEBHOOKS_UPDATE_BODY_SCOPE_TYPE_2_TYPE_1_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {WEBHOOKS_UPDATE_BODY_SCOPE_TYPE_2_TYPE_1_VALUES!r}")
