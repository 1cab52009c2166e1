from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="MessagesSendTemplateBodyAttachmentsType0Item")


@_attrs_define
class MessagesSendTemplateBodyAttachmentsType0Item:
    """
    Attributes:
        data (str):
        content_type (str):
        file_name (str):
        base64 (bool | None | Unset):
        content_disposition (None | str | Unset): `inline` or `attachment`. Empty or left out: inline when there is a
            `content_id`. Anything else is an attachment.
        content_id (None | str | Unset): `<…>`; the HTML refers to it as `cid:…`.
    """

    data: str
    content_type: str
    file_name: str
    base64: bool | None | Unset = UNSET
    content_disposition: None | str | Unset = UNSET
    content_id: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        data = self.data

        content_type = self.content_type

        file_name = self.file_name

        base64: bool | None | Unset
        if isinstance(self.base64, Unset):
            base64 = UNSET
        else:
            base64 = self.base64

        content_disposition: None | str | Unset
        if isinstance(self.content_disposition, Unset):
            content_disposition = UNSET
        else:
            content_disposition = self.content_disposition

        content_id: None | str | Unset
        if isinstance(self.content_id, Unset):
            content_id = UNSET
        else:
            content_id = self.content_id

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "data": data,
                "content_type": content_type,
                "file_name": file_name,
            }
        )
        if base64 is not UNSET:
            field_dict["base64"] = base64
        if content_disposition is not UNSET:
            field_dict["content_disposition"] = content_disposition
        if content_id is not UNSET:
            field_dict["content_id"] = content_id

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        data = d.pop("data")

        content_type = d.pop("content_type")

        file_name = d.pop("file_name")

        def _parse_base64(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        base64 = _parse_base64(d.pop("base64", UNSET))

        def _parse_content_disposition(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        content_disposition = _parse_content_disposition(d.pop("content_disposition", UNSET))

        def _parse_content_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        content_id = _parse_content_id(d.pop("content_id", UNSET))

        messages_send_template_body_attachments_type_0_item = cls(
            data=data,
            content_type=content_type,
            file_name=file_name,
            base64=base64,
            content_disposition=content_disposition,
            content_id=content_id,
        )

        return messages_send_template_body_attachments_type_0_item
