from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="MessageContentAttachmentsItem")


@_attrs_define
class MessageContentAttachmentsItem:
    """
    Attributes:
        filename (str):
        content (str): Base64.
        content_type (str):
        content_id (str): Without angle brackets; empty when there is none.
    """

    filename: str
    content: str
    content_type: str
    content_id: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        filename = self.filename

        content = self.content

        content_type = self.content_type

        content_id = self.content_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "filename": filename,
                "content": content,
                "content_type": content_type,
                "content_id": content_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        filename = d.pop("filename")

        content = d.pop("content")

        content_type = d.pop("content_type")

        content_id = d.pop("content_id")

        message_content_attachments_item = cls(
            filename=filename,
            content=content,
            content_type=content_type,
            content_id=content_id,
        )

        message_content_attachments_item.additional_properties = d
        return message_content_attachments_item

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
