from typing import Literal

WebhooksUpdateBodyScopeType3Type1 = Literal["global", "scoped"]

WEBHOOKS_UPDATE_BODY_SCOPE_TYPE_3_TYPE_1_VALUES: set[WebhooksUpdateBodyScopeType3Type1] = {
    "global",
    "scoped",
}


def check_webhooks_update_body_scope_type_3_type_1(value: str) -> WebhooksUpdateBodyScopeType3Type1:
    if value in WEBHOOKS_UPDATE_BODY_SCOPE_TYPE_3_TYPE_1_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {WEBHOOKS_UPDATE_BODY_SCOPE_TYPE_3_TYPE_1_VALUES!r}")
