from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.route_call_data_attachments_item import RouteCallDataAttachmentsItem
    from ..models.route_call_data_headers import RouteCallDataHeaders


T = TypeVar("T", bound="RouteCallData")


@_attrs_define
class RouteCallData:
    """
    Attributes:
        id (str): The id of the message: 32 hexadecimal digits.
        from_ (str): As received; empty when there is none.
        reply_to (str): One address: of the first Reply-To mailbox, else of From.
        to (str): The envelope recipient that matched.
        subject (str): As received; empty when there is none.
        message_id (str): As received; empty when there is none.
        size (int): Bytes of the raw message.
        spam_score (float): 0: not checked.
        bounce (bool): Whether it is a delivery report.
        cc (str): As received; empty when there is none.
        date (str): As received; empty when there is none.
        in_reply_to (str): As received; empty when there is none.
        references (str): As received; empty when there is none.
        auto_submitted (str): As received; empty when there is none.
        html_body (str):
        plain_body (str):
        reply_from_plain_body (str): The new text without what it quotes, with `strip_replies`; else empty.
        attachments (list[RouteCallDataAttachmentsItem]): Empty without `attachments`.
        headers (RouteCallDataHeaders | Unset): The first value of each field, with `headers` only.
    """

    id: str
    from_: str
    reply_to: str
    to: str
    subject: str
    message_id: str
    size: int
    spam_score: float
    bounce: bool
    cc: str
    date: str
    in_reply_to: str
    references: str
    auto_submitted: str
    html_body: str
    plain_body: str
    reply_from_plain_body: str
    attachments: list[RouteCallDataAttachmentsItem]
    headers: RouteCallDataHeaders | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        from_ = self.from_

        reply_to = self.reply_to

        to = self.to

        subject = self.subject

        message_id = self.message_id

        size = self.size

        spam_score = self.spam_score

        bounce = self.bounce

        cc = self.cc

        date = self.date

        in_reply_to = self.in_reply_to

        references = self.references

        auto_submitted = self.auto_submitted

        html_body = self.html_body

        plain_body = self.plain_body

        reply_from_plain_body = self.reply_from_plain_body

        attachments = []
        for attachments_item_data in self.attachments:
            attachments_item = attachments_item_data.to_dict()
            attachments.append(attachments_item)

        headers: dict[str, Any] | Unset = UNSET
        if not isinstance(self.headers, Unset):
            headers = self.headers.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "from": from_,
                "reply_to": reply_to,
                "to": to,
                "subject": subject,
                "message_id": message_id,
                "size": size,
                "spam_score": spam_score,
                "bounce": bounce,
                "cc": cc,
                "date": date,
                "in_reply_to": in_reply_to,
                "references": references,
                "auto_submitted": auto_submitted,
                "html_body": html_body,
                "plain_body": plain_body,
                "reply_from_plain_body": reply_from_plain_body,
                "attachments": attachments,
            }
        )
        if headers is not UNSET:
            field_dict["headers"] = headers

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.route_call_data_attachments_item import (
            RouteCallDataAttachmentsItem,
        )
        from ..models.route_call_data_headers import RouteCallDataHeaders

        d = dict(src_dict)
        id = d.pop("id")

        from_ = d.pop("from")

        reply_to = d.pop("reply_to")

        to = d.pop("to")

        subject = d.pop("subject")

        message_id = d.pop("message_id")

        size = d.pop("size")

        spam_score = d.pop("spam_score")

        bounce = d.pop("bounce")

        cc = d.pop("cc")

        date = d.pop("date")

        in_reply_to = d.pop("in_reply_to")

        references = d.pop("references")

        auto_submitted = d.pop("auto_submitted")

        html_body = d.pop("html_body")

        plain_body = d.pop("plain_body")

        reply_from_plain_body = d.pop("reply_from_plain_body")

        attachments = []
        _attachments = d.pop("attachments")
        for attachments_item_data in _attachments:
            attachments_item = RouteCallDataAttachmentsItem.from_dict(attachments_item_data)

            attachments.append(attachments_item)

        _headers = d.pop("headers", UNSET)
        headers: RouteCallDataHeaders | Unset
        if isinstance(_headers, Unset):
            headers = UNSET
        else:
            headers = RouteCallDataHeaders.from_dict(_headers)

        route_call_data = cls(
            id=id,
            from_=from_,
            reply_to=reply_to,
            to=to,
            subject=subject,
            message_id=message_id,
            size=size,
            spam_score=spam_score,
            bounce=bounce,
            cc=cc,
            date=date,
            in_reply_to=in_reply_to,
            references=references,
            auto_submitted=auto_submitted,
            html_body=html_body,
            plain_body=plain_body,
            reply_from_plain_body=reply_from_plain_body,
            attachments=attachments,
            headers=headers,
        )

        route_call_data.additional_properties = d
        return route_call_data

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
