from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.members_add_body_role import (
    MembersAddBodyRole,
    check_members_add_body_role,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="MembersAddBody")


@_attrs_define
class MembersAddBody:
    """
    Attributes:
        email (str):
        role (MembersAddBodyRole):
        name (None | str | Unset):
    """

    email: str
    role: MembersAddBodyRole
    name: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        email = self.email

        role: str = self.role

        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "email": email,
                "role": role,
            }
        )
        if name is not UNSET:
            field_dict["name"] = name

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        email = d.pop("email")

        role = check_members_add_body_role(d.pop("role"))

        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))

        members_add_body = cls(
            email=email,
            role=role,
            name=name,
        )

        return members_add_body
