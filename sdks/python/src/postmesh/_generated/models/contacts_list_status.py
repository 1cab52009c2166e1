from typing import Literal

ContactsListStatus = Literal["blocked", "disabled", "enabled"]

CONTACTS_LIST_STATUS_VALUES: set[ContactsListStatus] = {
    "blocked",
    "disabled",
    "enabled",
}


def check_contacts_list_status(value: str) -> ContactsListStatus:
    if value in CONTACTS_LIST_STATUS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CONTACTS_LIST_STATUS_VALUES!r}")
