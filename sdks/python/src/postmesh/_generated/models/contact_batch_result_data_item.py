from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.contact import Contact


T = TypeVar("T", bound="ContactBatchResultDataItem")


@_attrs_define
class ContactBatchResultDataItem:
    """
    Attributes:
        position (int): Position of the entry in the request, from 0.
        email (str): In its stored form. Empty when it was no text, or longer than any address.
        outcome (str):
        contact (Contact | Unset): A possible recipient of campaigns of the account.
        reason (str | Unset): For an entry that failed.
    """

    position: int
    email: str
    outcome: str
    contact: Contact | Unset = UNSET
    reason: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        position = self.position

        email = self.email

        outcome = self.outcome

        contact: dict[str, Any] | Unset = UNSET
        if not isinstance(self.contact, Unset):
            contact = self.contact.to_dict()

        reason = self.reason

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "position": position,
                "email": email,
                "outcome": outcome,
            }
        )
        if contact is not UNSET:
            field_dict["contact"] = contact
        if reason is not UNSET:
            field_dict["reason"] = reason

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.contact import Contact

        d = dict(src_dict)
        position = d.pop("position")

        email = d.pop("email")

        outcome = d.pop("outcome")

        _contact = d.pop("contact", UNSET)
        contact: Contact | Unset
        if isinstance(_contact, Unset):
            contact = UNSET
        else:
            contact = Contact.from_dict(_contact)

        reason = d.pop("reason", UNSET)

        contact_batch_result_data_item = cls(
            position=position,
            email=email,
            outcome=outcome,
            contact=contact,
            reason=reason,
        )

        contact_batch_result_data_item.additional_properties = d
        return contact_batch_result_data_item

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
