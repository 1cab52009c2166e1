from typing import Literal

DomainsUpdateBodySendingType = Literal["marketing", "transactional"]

DOMAINS_UPDATE_BODY_SENDING_TYPE_VALUES: set[DomainsUpdateBodySendingType] = {
    "marketing",
    "transactional",
}


def check_domains_update_body_sending_type(value: str) -> DomainsUpdateBodySendingType:
    if value in DOMAINS_UPDATE_BODY_SENDING_TYPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DOMAINS_UPDATE_BODY_SENDING_TYPE_VALUES!r}")
