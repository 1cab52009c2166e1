from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="TemplatesRestoreVersionBody")


@_attrs_define
class TemplatesRestoreVersionBody:
    """
    Attributes:
        publish (bool | None | Unset):
    """

    publish: bool | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        publish: bool | None | Unset
        if isinstance(self.publish, Unset):
            publish = UNSET
        else:
            publish = self.publish

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if publish is not UNSET:
            field_dict["publish"] = publish

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)

        def _parse_publish(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        publish = _parse_publish(d.pop("publish", UNSET))

        templates_restore_version_body = cls(
            publish=publish,
        )

        return templates_restore_version_body
