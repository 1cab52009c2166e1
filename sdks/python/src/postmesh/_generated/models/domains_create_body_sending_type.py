from typing import Literal

DomainsCreateBodySendingType = Literal["marketing", "transactional"]

DOMAINS_CREATE_BODY_SENDING_TYPE_VALUES: set[DomainsCreateBodySendingType] = {
    "marketing",
    "transactional",
}


def check_domains_create_body_sending_type(value: str) -> DomainsCreateBodySendingType:
    if value in DOMAINS_CREATE_BODY_SENDING_TYPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DOMAINS_CREATE_BODY_SENDING_TYPE_VALUES!r}")
