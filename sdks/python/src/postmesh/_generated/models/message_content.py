from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.message_content_attachments_item import MessageContentAttachmentsItem
    from ..models.message_content_headers import MessageContentHeaders
    from ..models.message_content_parts_item import MessageContentPartsItem


T = TypeVar("T", bound="MessageContent")


@_attrs_define
class MessageContent:
    """A message, taken apart.

    Attributes:
        parts (list[MessageContentPartsItem]):
        attachments (list[MessageContentAttachmentsItem]):
        headers (MessageContentHeaders):
    """

    parts: list[MessageContentPartsItem]
    attachments: list[MessageContentAttachmentsItem]
    headers: MessageContentHeaders
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        parts = []
        for parts_item_data in self.parts:
            parts_item = parts_item_data.to_dict()
            parts.append(parts_item)

        attachments = []
        for attachments_item_data in self.attachments:
            attachments_item = attachments_item_data.to_dict()
            attachments.append(attachments_item)

        headers = self.headers.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "parts": parts,
                "attachments": attachments,
                "headers": headers,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.message_content_attachments_item import (
            MessageContentAttachmentsItem,
        )
        from ..models.message_content_headers import MessageContentHeaders
        from ..models.message_content_parts_item import MessageContentPartsItem

        d = dict(src_dict)
        parts = []
        _parts = d.pop("parts")
        for parts_item_data in _parts:
            parts_item = MessageContentPartsItem.from_dict(parts_item_data)

            parts.append(parts_item)

        attachments = []
        _attachments = d.pop("attachments")
        for attachments_item_data in _attachments:
            attachments_item = MessageContentAttachmentsItem.from_dict(attachments_item_data)

            attachments.append(attachments_item)

        headers = MessageContentHeaders.from_dict(d.pop("headers"))

        message_content = cls(
            parts=parts,
            attachments=attachments,
            headers=headers,
        )

        message_content.additional_properties = d
        return message_content

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
