from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="TemplateContent")


@_attrs_define
class TemplateContent:
    """The body. What does not apply or is empty is left out.

    Attributes:
        text_is_custom (bool): false: made from the HTML, and again with each design.
        mjml (str | Unset): The source of the editor `advanced`.
        html (str | Unset): The source of the editors `html` and `simple`.
        text (str | Unset):
    """

    text_is_custom: bool
    mjml: str | Unset = UNSET
    html: str | Unset = UNSET
    text: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        text_is_custom = self.text_is_custom

        mjml = self.mjml

        html = self.html

        text = self.text

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "text_is_custom": text_is_custom,
            }
        )
        if mjml is not UNSET:
            field_dict["mjml"] = mjml
        if html is not UNSET:
            field_dict["html"] = html
        if text is not UNSET:
            field_dict["text"] = text

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        text_is_custom = d.pop("text_is_custom")

        mjml = d.pop("mjml", UNSET)

        html = d.pop("html", UNSET)

        text = d.pop("text", UNSET)

        template_content = cls(
            text_is_custom=text_is_custom,
            mjml=mjml,
            html=html,
            text=text,
        )

        template_content.additional_properties = d
        return template_content

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
