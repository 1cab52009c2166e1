from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="CampaignsTestSendBody")


@_attrs_define
class CampaignsTestSendBody:
    """
    Attributes:
        to (list[str]):
        contact (None | str | Unset): Id or address of the contact whose values are used. Without it each address uses
            its own.
    """

    to: list[str]
    contact: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        to = self.to

        contact: None | str | Unset
        if isinstance(self.contact, Unset):
            contact = UNSET
        else:
            contact = self.contact

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "to": to,
            }
        )
        if contact is not UNSET:
            field_dict["contact"] = contact

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        to = cast(list[str], d.pop("to"))

        def _parse_contact(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        contact = _parse_contact(d.pop("contact", UNSET))

        campaigns_test_send_body = cls(
            to=to,
            contact=contact,
        )

        return campaigns_test_send_body
