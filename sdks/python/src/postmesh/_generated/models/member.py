from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Member")


@_attrs_define
class Member:
    """A person and their role in an account.

    Attributes:
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        user_id (UUID):
        account_id (UUID):
        role (str):
    """

    created_at: datetime.datetime
    updated_at: datetime.datetime
    user_id: UUID
    account_id: UUID
    role: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        user_id = str(self.user_id)

        account_id = str(self.account_id)

        role = self.role

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "created_at": created_at,
                "updated_at": updated_at,
                "user_id": user_id,
                "account_id": account_id,
                "role": role,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        user_id = UUID(d.pop("user_id"))

        account_id = UUID(d.pop("account_id"))

        role = d.pop("role")

        member = cls(
            created_at=created_at,
            updated_at=updated_at,
            user_id=user_id,
            account_id=account_id,
            role=role,
        )

        member.additional_properties = d
        return member

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
