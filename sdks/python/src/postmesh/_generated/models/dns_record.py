from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="DnsRecord")


@_attrs_define
class DnsRecord:
    """A DNS record to publish.

    Attributes:
        label (str): The purpose of the record, in a word or two.
        type_ (str):
        host (str): Full name, without a dot at the end.
        content (str):
        required (bool): Sending needs it.
        propagated (bool): It was seen as it shall be when the domain was last checked.
    """

    label: str
    type_: str
    host: str
    content: str
    required: bool
    propagated: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        label = self.label

        type_ = self.type_

        host = self.host

        content = self.content

        required = self.required

        propagated = self.propagated

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "label": label,
                "type": type_,
                "host": host,
                "content": content,
                "required": required,
                "propagated": propagated,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        label = d.pop("label")

        type_ = d.pop("type")

        host = d.pop("host")

        content = d.pop("content")

        required = d.pop("required")

        propagated = d.pop("propagated")

        dns_record = cls(
            label=label,
            type_=type_,
            host=host,
            content=content,
            required=required,
            propagated=propagated,
        )

        dns_record.additional_properties = d
        return dns_record

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
