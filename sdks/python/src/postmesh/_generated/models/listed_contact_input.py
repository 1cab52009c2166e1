from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="ListedContactInput")


@_attrs_define
class ListedContactInput:
    """
    Attributes:
        email (str | Unset):
        id (UUID | Unset):
    """

    email: str | Unset = UNSET
    id: UUID | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        email = self.email

        id: str | Unset = UNSET
        if not isinstance(self.id, Unset):
            id = str(self.id)

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if email is not UNSET:
            field_dict["email"] = email
        if id is not UNSET:
            field_dict["id"] = id

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        email = d.pop("email", UNSET)

        _id = d.pop("id", UNSET)
        id: UUID | Unset
        if isinstance(_id, Unset):
            id = UNSET
        else:
            id = UUID(_id)

        listed_contact_input = cls(
            email=email,
            id=id,
        )

        return listed_contact_input
