from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.send_result_recipient_substitutions import (
        SendResultRecipientSubstitutions,
    )


T = TypeVar("T", bound="SendResultRecipient")


@_attrs_define
class SendResultRecipient:
    """
    Attributes:
        email (str): Trimmed, in lower case, the domain as A-labels.
        name (str):
        substitutions (SendResultRecipientSubstitutions | Unset):
    """

    email: str
    name: str
    substitutions: SendResultRecipientSubstitutions | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        email = self.email

        name = self.name

        substitutions: dict[str, Any] | Unset = UNSET
        if not isinstance(self.substitutions, Unset):
            substitutions = self.substitutions.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "email": email,
                "name": name,
            }
        )
        if substitutions is not UNSET:
            field_dict["substitutions"] = substitutions

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.send_result_recipient_substitutions import (
            SendResultRecipientSubstitutions,
        )

        d = dict(src_dict)
        email = d.pop("email")

        name = d.pop("name")

        _substitutions = d.pop("substitutions", UNSET)
        substitutions: SendResultRecipientSubstitutions | Unset
        if isinstance(_substitutions, Unset):
            substitutions = UNSET
        else:
            substitutions = SendResultRecipientSubstitutions.from_dict(_substitutions)

        send_result_recipient = cls(
            email=email,
            name=name,
            substitutions=substitutions,
        )

        send_result_recipient.additional_properties = d
        return send_result_recipient

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
