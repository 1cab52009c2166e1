from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="CampaignsCreateBodyContent")


@_attrs_define
class CampaignsCreateBodyContent:
    """One of `mjml` and `html`, or `text`, or one of the former with it. `text: null` makes the text from the HTML.

    Attributes:
        mjml (None | str | Unset): At most 1 MiB.
        html (None | str | Unset): At most 1 MiB.
        text (None | str | Unset): At most 256 KiB.
        text_is_custom (bool | None | Unset): Ignored: what is read can be sent back.
    """

    mjml: None | str | Unset = UNSET
    html: None | str | Unset = UNSET
    text: None | str | Unset = UNSET
    text_is_custom: bool | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        mjml: None | str | Unset
        if isinstance(self.mjml, Unset):
            mjml = UNSET
        else:
            mjml = self.mjml

        html: None | str | Unset
        if isinstance(self.html, Unset):
            html = UNSET
        else:
            html = self.html

        text: None | str | Unset
        if isinstance(self.text, Unset):
            text = UNSET
        else:
            text = self.text

        text_is_custom: bool | None | Unset
        if isinstance(self.text_is_custom, Unset):
            text_is_custom = UNSET
        else:
            text_is_custom = self.text_is_custom

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if mjml is not UNSET:
            field_dict["mjml"] = mjml
        if html is not UNSET:
            field_dict["html"] = html
        if text is not UNSET:
            field_dict["text"] = text
        if text_is_custom is not UNSET:
            field_dict["text_is_custom"] = text_is_custom

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)

        def _parse_mjml(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        mjml = _parse_mjml(d.pop("mjml", UNSET))

        def _parse_html(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        html = _parse_html(d.pop("html", UNSET))

        def _parse_text(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        text = _parse_text(d.pop("text", UNSET))

        def _parse_text_is_custom(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        text_is_custom = _parse_text_is_custom(d.pop("text_is_custom", UNSET))

        campaigns_create_body_content = cls(
            mjml=mjml,
            html=html,
            text=text,
            text_is_custom=text_is_custom,
        )

        return campaigns_create_body_content
