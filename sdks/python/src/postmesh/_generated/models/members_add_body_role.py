from typing import Literal

MembersAddBodyRole = Literal["Administrator", "Analyst", "Billing Manager", "Developer"]

MEMBERS_ADD_BODY_ROLE_VALUES: set[MembersAddBodyRole] = {
    "Administrator",
    "Analyst",
    "Billing Manager",
    "Developer",
}


def check_members_add_body_role(value: str) -> MembersAddBodyRole:
    if value in MEMBERS_ADD_BODY_ROLE_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {MEMBERS_ADD_BODY_ROLE_VALUES!r}")
