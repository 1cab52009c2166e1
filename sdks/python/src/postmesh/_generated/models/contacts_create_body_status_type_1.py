from typing import Literal

ContactsCreateBodyStatusType1 = Literal["blocked", "disabled", "enabled"]

CONTACTS_CREATE_BODY_STATUS_TYPE_1_VALUES: set[ContactsCreateBodyStatusType1] = {
    "blocked",
    "disabled",
    "enabled",
}


def check_contacts_create_body_status_type_1(value: str) -> ContactsCreateBodyStatusType1:
    if value in CONTACTS_CREATE_BODY_STATUS_TYPE_1_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CONTACTS_CREATE_BODY_STATUS_TYPE_1_VALUES!r}")
