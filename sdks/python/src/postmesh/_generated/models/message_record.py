from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Self,
    TypeVar,
    cast,
)
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.message_content import MessageContent
    from ..models.message_record_delivery_attempts_item import (
        MessageRecordDeliveryAttemptsItem,
    )


T = TypeVar("T", bound="MessageRecord")


@_attrs_define
class MessageRecord:
    """A message to one recipient.

    Attributes:
        object_ (Literal['message']):
        id (UUID):
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        sent_at (datetime.datetime | None): Start of the first attempt.
        delivered_at (datetime.datetime | None): When the remote server took it.
        retain_until (datetime.datetime): When its content is deleted.
        direction (str):
        is_bounce_notification (bool):
        bounce_classification (str): Empty when it did not bounce or fail.
        delivery_attempts (list[MessageRecordDeliveryAttemptsItem]):
        message_id (str): The Message-ID, with angle brackets.
        subject (str):
        tags (list[str]):
        sender (str):
        recipient (str):
        status (str):
        num_attempts (int):
        open_count (int):
        click_count (int):
        reference_message_id (int | None):
        domain_id (UUID):
        account_id (UUID):
        template_id (None | UUID):
        content (str | Unset): The message as it is sent, or as it came (RFC 5322). Left out when it is not kept (any
            more).
        content_parsed (MessageContent | Unset): A message, taken apart.
    """

    object_: Literal["message"]
    id: UUID
    created_at: datetime.datetime
    updated_at: datetime.datetime
    sent_at: datetime.datetime | None
    delivered_at: datetime.datetime | None
    retain_until: datetime.datetime
    direction: str
    is_bounce_notification: bool
    bounce_classification: str
    delivery_attempts: list[MessageRecordDeliveryAttemptsItem]
    message_id: str
    subject: str
    tags: list[str]
    sender: str
    recipient: str
    status: str
    num_attempts: int
    open_count: int
    click_count: int
    reference_message_id: int | None
    domain_id: UUID
    account_id: UUID
    template_id: None | UUID
    content: str | Unset = UNSET
    content_parsed: MessageContent | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id = str(self.id)

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        sent_at: None | str
        if isinstance(self.sent_at, datetime.datetime):
            sent_at = self.sent_at.isoformat()
        else:
            sent_at = self.sent_at

        delivered_at: None | str
        if isinstance(self.delivered_at, datetime.datetime):
            delivered_at = self.delivered_at.isoformat()
        else:
            delivered_at = self.delivered_at

        retain_until = self.retain_until.isoformat()

        direction = self.direction

        is_bounce_notification = self.is_bounce_notification

        bounce_classification = self.bounce_classification

        delivery_attempts = []
        for delivery_attempts_item_data in self.delivery_attempts:
            delivery_attempts_item = delivery_attempts_item_data.to_dict()
            delivery_attempts.append(delivery_attempts_item)

        message_id = self.message_id

        subject = self.subject

        tags = self.tags

        sender = self.sender

        recipient = self.recipient

        status = self.status

        num_attempts = self.num_attempts

        open_count = self.open_count

        click_count = self.click_count

        reference_message_id: int | None
        reference_message_id = self.reference_message_id

        domain_id = str(self.domain_id)

        account_id = str(self.account_id)

        template_id: None | str
        if isinstance(self.template_id, UUID):
            template_id = str(self.template_id)
        else:
            template_id = self.template_id

        content = self.content

        content_parsed: dict[str, Any] | Unset = UNSET
        if not isinstance(self.content_parsed, Unset):
            content_parsed = self.content_parsed.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "id": id,
                "created_at": created_at,
                "updated_at": updated_at,
                "sent_at": sent_at,
                "delivered_at": delivered_at,
                "retain_until": retain_until,
                "direction": direction,
                "is_bounce_notification": is_bounce_notification,
                "bounce_classification": bounce_classification,
                "delivery_attempts": delivery_attempts,
                "message_id": message_id,
                "subject": subject,
                "tags": tags,
                "sender": sender,
                "recipient": recipient,
                "status": status,
                "num_attempts": num_attempts,
                "open_count": open_count,
                "click_count": click_count,
                "reference_message_id": reference_message_id,
                "domain_id": domain_id,
                "account_id": account_id,
                "template_id": template_id,
            }
        )
        if content is not UNSET:
            field_dict["content"] = content
        if content_parsed is not UNSET:
            field_dict["content_parsed"] = content_parsed

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.message_content import MessageContent
        from ..models.message_record_delivery_attempts_item import (
            MessageRecordDeliveryAttemptsItem,
        )

        d = dict(src_dict)
        object_ = cast(Literal["message"], d.pop("object"))
        if object_ != "message":
            raise ValueError(f"object must match const 'message', got '{object_}'")

        id = UUID(d.pop("id"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        def _parse_sent_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                sent_at_type_0 = datetime.datetime.fromisoformat(data)

                return sent_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        sent_at = _parse_sent_at(d.pop("sent_at"))

        def _parse_delivered_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                delivered_at_type_0 = datetime.datetime.fromisoformat(data)

                return delivered_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        delivered_at = _parse_delivered_at(d.pop("delivered_at"))

        retain_until = datetime.datetime.fromisoformat(d.pop("retain_until"))

        direction = d.pop("direction")

        is_bounce_notification = d.pop("is_bounce_notification")

        bounce_classification = d.pop("bounce_classification")

        delivery_attempts = []
        _delivery_attempts = d.pop("delivery_attempts")
        for delivery_attempts_item_data in _delivery_attempts:
            delivery_attempts_item = MessageRecordDeliveryAttemptsItem.from_dict(delivery_attempts_item_data)

            delivery_attempts.append(delivery_attempts_item)

        message_id = d.pop("message_id")

        subject = d.pop("subject")

        tags = cast(list[str], d.pop("tags"))

        sender = d.pop("sender")

        recipient = d.pop("recipient")

        status = d.pop("status")

        num_attempts = d.pop("num_attempts")

        open_count = d.pop("open_count")

        click_count = d.pop("click_count")

        def _parse_reference_message_id(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        reference_message_id = _parse_reference_message_id(d.pop("reference_message_id"))

        domain_id = UUID(d.pop("domain_id"))

        account_id = UUID(d.pop("account_id"))

        def _parse_template_id(data: object) -> None | UUID:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                template_id_type_0 = UUID(data)

                return template_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | UUID, data)

        template_id = _parse_template_id(d.pop("template_id"))

        content = d.pop("content", UNSET)

        _content_parsed = d.pop("content_parsed", UNSET)
        content_parsed: MessageContent | Unset
        if isinstance(_content_parsed, Unset):
            content_parsed = UNSET
        else:
            content_parsed = MessageContent.from_dict(_content_parsed)

        message_record = cls(
            object_=object_,
            id=id,
            created_at=created_at,
            updated_at=updated_at,
            sent_at=sent_at,
            delivered_at=delivered_at,
            retain_until=retain_until,
            direction=direction,
            is_bounce_notification=is_bounce_notification,
            bounce_classification=bounce_classification,
            delivery_attempts=delivery_attempts,
            message_id=message_id,
            subject=subject,
            tags=tags,
            sender=sender,
            recipient=recipient,
            status=status,
            num_attempts=num_attempts,
            open_count=open_count,
            click_count=click_count,
            reference_message_id=reference_message_id,
            domain_id=domain_id,
            account_id=account_id,
            template_id=template_id,
            content=content,
            content_parsed=content_parsed,
        )

        message_record.additional_properties = d
        return message_record

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
