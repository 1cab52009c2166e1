from typing import Literal

DomainsListSendingType = Literal["marketing", "transactional"]

DOMAINS_LIST_SENDING_TYPE_VALUES: set[DomainsListSendingType] = {
    "marketing",
    "transactional",
}


def check_domains_list_sending_type(value: str) -> DomainsListSendingType:
    if value in DOMAINS_LIST_SENDING_TYPE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {DOMAINS_LIST_SENDING_TYPE_VALUES!r}")
