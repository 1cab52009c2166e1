from typing import Literal

ContactsUpdateBodyStatusType3Type1 = Literal["blocked", "disabled", "enabled"]

CONTACTS_UPDATE_BODY_STATUS_TYPE_3_TYPE_1_VALUES: set[ContactsUpdateBodyStatusType3Type1] = {
    "blocked",
    "disabled",
    "enabled",
}


def check_contacts_update_body_status_type_3_type_1(value: str) -> ContactsUpdateBodyStatusType3Type1:
    if value in CONTACTS_UPDATE_BODY_STATUS_TYPE_3_TYPE_1_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CONTACTS_UPDATE_BODY_STATUS_TYPE_3_TYPE_1_VALUES!r}")
