from typing import Literal

ContactsUpdateBodyStatusType2Type1 = Literal["blocked", "disabled", "enabled"]

CONTACTS_UPDATE_BODY_STATUS_TYPE_2_TYPE_1_VALUES: set[ContactsUpdateBodyStatusType2Type1] = {
    "blocked",
    "disabled",
    "enabled",
}


def check_contacts_update_body_status_type_2_type_1(value: str) -> ContactsUpdateBodyStatusType2Type1:
    if value in CONTACTS_UPDATE_BODY_STATUS_TYPE_2_TYPE_1_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CONTACTS_UPDATE_BODY_STATUS_TYPE_2_TYPE_1_VALUES!r}")
