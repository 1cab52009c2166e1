from typing import Literal

MembersUpdateBodyRole = Literal["Administrator", "Analyst", "Billing Manager", "Developer"]

MEMBERS_UPDATE_BODY_ROLE_VALUES: set[MembersUpdateBodyRole] = {
    "Administrator",
    "Analyst",
    "Billing Manager",
    "Developer",
}


def check_members_update_body_role(value: str) -> MembersUpdateBodyRole:
    if value in MEMBERS_UPDATE_BODY_ROLE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {MEMBERS_UPDATE_BODY_ROLE_VALUES!r}")
