from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    Self,
    TypeVar,
    cast,
)
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="MessageClickedEventData")


@_attrs_define
class MessageClickedEventData:
    """
    Attributes:
        account_id (UUID):
        event (Literal['on_clicked']):
        from_ (str): The address; for campaigns with the name before it.
        recipient (str):
        subject (str):
        message_id_header (str): With angle brackets, like `id` of a send result.
        id (str): Id of the message: 32 hexadecimal digits.
        is_bot (bool): For opens and clicks; otherwise false.
        url (str):
        user_agent (str):
        ip (str):
    """

    account_id: UUID
    event: Literal["on_clicked"]
    from_: str
    recipient: str
    subject: str
    message_id_header: str
    id: str
    is_bot: bool
    url: str
    user_agent: str
    ip: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        account_id = str(self.account_id)

        event = self.event

        from_ = self.from_

        recipient = self.recipient

        subject = self.subject

        message_id_header = self.message_id_header

        id = self.id

        is_bot = self.is_bot

        url = self.url

        user_agent = self.user_agent

        ip = self.ip

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "account_id": account_id,
                "event": event,
                "from": from_,
                "recipient": recipient,
                "subject": subject,
                "message_id_header": message_id_header,
                "id": id,
                "is_bot": is_bot,
                "url": url,
                "user_agent": user_agent,
                "ip": ip,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        account_id = UUID(d.pop("account_id"))

        event = cast(Literal["on_clicked"], d.pop("event"))
        if event != "on_clicked":
            raise ValueError(f"event must match const 'on_clicked', got '{event}'")

        from_ = d.pop("from")

        recipient = d.pop("recipient")

        subject = d.pop("subject")

        message_id_header = d.pop("message_id_header")

        id = d.pop("id")

        is_bot = d.pop("is_bot")

        url = d.pop("url")

        user_agent = d.pop("user_agent")

        ip = d.pop("ip")

        message_clicked_event_data = cls(
            account_id=account_id,
            event=event,
            from_=from_,
            recipient=recipient,
            subject=subject,
            message_id_header=message_id_header,
            id=id,
            is_bot=is_bot,
            url=url,
            user_agent=user_agent,
            ip=ip,
        )

        message_clicked_event_data.additional_properties = d
        return message_clicked_event_data

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
