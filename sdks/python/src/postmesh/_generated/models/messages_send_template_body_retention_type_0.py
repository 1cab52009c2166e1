from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="MessagesSendTemplateBodyRetentionType0")


@_attrs_define
class MessagesSendTemplateBodyRetentionType0:
    """Days for which the record and its content are kept.

    Attributes:
        metadata (int | None | Unset):
        data (int | None | Unset):
    """

    metadata: int | None | Unset = UNSET
    data: int | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        metadata: int | None | Unset
        if isinstance(self.metadata, Unset):
            metadata = UNSET
        else:
            metadata = self.metadata

        data: int | None | Unset
        if isinstance(self.data, Unset):
            data = UNSET
        else:
            data = self.data

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if metadata is not UNSET:
            field_dict["metadata"] = metadata
        if data is not UNSET:
            field_dict["data"] = data

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)

        def _parse_metadata(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        metadata = _parse_metadata(d.pop("metadata", UNSET))

        def _parse_data(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        data = _parse_data(d.pop("data", UNSET))

        messages_send_template_body_retention_type_0 = cls(
            metadata=metadata,
            data=data,
        )

        return messages_send_template_body_retention_type_0
