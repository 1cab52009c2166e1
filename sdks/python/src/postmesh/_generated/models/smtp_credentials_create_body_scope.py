from typing import Literal

SmtpCredentialsCreateBodyScope = Literal["global", "scoped"]

SMTP_CREDENTIALS_CREATE_BODY_SCOPE_VALUES: set[SmtpCredentialsCreateBodyScope] = {
    "global",
    "scoped",
}


def check_smtp_credentials_create_body_scope(value: str) -> SmtpCredentialsCreateBodyScope:
    if value in SMTP_CREDENTIALS_CREATE_BODY_SCOPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {SMTP_CREDENTIALS_CREATE_BODY_SCOPE_VALUES!r}")
