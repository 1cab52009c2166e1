from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="MessagesSendConversationBodyTrackingType0")


@_attrs_define
class MessagesSendConversationBodyTrackingType0:
    """
    Attributes:
        open_ (bool | None | Unset):
        click (bool | None | Unset):
    """

    open_: bool | None | Unset = UNSET
    click: bool | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        open_: bool | None | Unset
        if isinstance(self.open_, Unset):
            open_ = UNSET
        else:
            open_ = self.open_

        click: bool | None | Unset
        if isinstance(self.click, Unset):
            click = UNSET
        else:
            click = self.click

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if open_ is not UNSET:
            field_dict["open"] = open_
        if click is not UNSET:
            field_dict["click"] = click

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)

        def _parse_open_(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        open_ = _parse_open_(d.pop("open", UNSET))

        def _parse_click(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        click = _parse_click(d.pop("click", UNSET))

        messages_send_conversation_body_tracking_type_0 = cls(
            open_=open_,
            click=click,
        )

        return messages_send_conversation_body_tracking_type_0
