from __future__ import annotations

from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Self,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.issue import Issue
    from ..models.message_preview_headers import MessagePreviewHeaders


T = TypeVar("T", bound="MessagePreview")


@_attrs_define
class MessagePreview:
    """The message to one recipient, which is not sent.

    Attributes:
        object_ (Literal['message_preview']):
        subject (str):
        html (None | str): With its preview text; null where there is none.
        text (None | str):
        headers (MessagePreviewHeaders): Without those that a message gets when it is sent, such as Date.
        issues (list[Issue]): Empty when the message could be sent so.
    """

    object_: Literal["message_preview"]
    subject: str
    html: None | str
    text: None | str
    headers: MessagePreviewHeaders
    issues: list[Issue]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        subject = self.subject

        html: None | str
        html = self.html

        text: None | str
        text = self.text

        headers = self.headers.to_dict()

        issues = []
        for issues_item_data in self.issues:
            issues_item = issues_item_data.to_dict()
            issues.append(issues_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "subject": subject,
                "html": html,
                "text": text,
                "headers": headers,
                "issues": issues,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.issue import Issue
        from ..models.message_preview_headers import MessagePreviewHeaders

        d = dict(src_dict)
        object_ = cast(Literal["message_preview"], d.pop("object"))
        if object_ != "message_preview":
            raise ValueError(f"object must match const 'message_preview', got '{object_}'")

        subject = d.pop("subject")

        def _parse_html(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        html = _parse_html(d.pop("html"))

        def _parse_text(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        text = _parse_text(d.pop("text"))

        headers = MessagePreviewHeaders.from_dict(d.pop("headers"))

        issues = []
        _issues = d.pop("issues")
        for issues_item_data in _issues:
            issues_item = Issue.from_dict(issues_item_data)

            issues.append(issues_item)

        message_preview = cls(
            object_=object_,
            subject=subject,
            html=html,
            text=text,
            headers=headers,
            issues=issues,
        )

        message_preview.additional_properties = d
        return message_preview

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
