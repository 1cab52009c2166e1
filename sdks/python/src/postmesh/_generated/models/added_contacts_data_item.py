from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.list_contact import ListContact


T = TypeVar("T", bound="AddedContactsDataItem")


@_attrs_define
class AddedContactsDataItem:
    """
    Attributes:
        position (int): Position of the entry in the request, from 0.
        outcome (str):
        email (str | Unset):
        id (UUID | Unset):
        membership (ListContact | Unset): A contact on a list.
        reason (str | Unset):
    """

    position: int
    outcome: str
    email: str | Unset = UNSET
    id: UUID | Unset = UNSET
    membership: ListContact | Unset = UNSET
    reason: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        position = self.position

        outcome = self.outcome

        email = self.email

        id: str | Unset = UNSET
        if not isinstance(self.id, Unset):
            id = str(self.id)

        membership: dict[str, Any] | Unset = UNSET
        if not isinstance(self.membership, Unset):
            membership = self.membership.to_dict()

        reason = self.reason

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "position": position,
                "outcome": outcome,
            }
        )
        if email is not UNSET:
            field_dict["email"] = email
        if id is not UNSET:
            field_dict["id"] = id
        if membership is not UNSET:
            field_dict["membership"] = membership
        if reason is not UNSET:
            field_dict["reason"] = reason

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.list_contact import ListContact

        d = dict(src_dict)
        position = d.pop("position")

        outcome = d.pop("outcome")

        email = d.pop("email", UNSET)

        _id = d.pop("id", UNSET)
        id: UUID | Unset
        if isinstance(_id, Unset):
            id = UNSET
        else:
            id = UUID(_id)

        _membership = d.pop("membership", UNSET)
        membership: ListContact | Unset
        if isinstance(_membership, Unset):
            membership = UNSET
        else:
            membership = ListContact.from_dict(_membership)

        reason = d.pop("reason", UNSET)

        added_contacts_data_item = cls(
            position=position,
            outcome=outcome,
            email=email,
            id=id,
            membership=membership,
            reason=reason,
        )

        added_contacts_data_item.additional_properties = d
        return added_contacts_data_item

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
