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

if TYPE_CHECKING:
    from ..models.message_transient_error_event_data import MessageTransientErrorEventData


T = TypeVar("T", bound="MessageTransientErrorEvent")


@_attrs_define
class MessageTransientErrorEvent:
    """
    Attributes:
        type_ (Literal['message.transient_error']):
        timestamp (datetime.datetime): When it happened.
        webhook_id (UUID):
        data (MessageTransientErrorEventData):
    """

    type_: Literal["message.transient_error"]
    timestamp: datetime.datetime
    webhook_id: UUID
    data: MessageTransientErrorEventData
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        timestamp = self.timestamp.isoformat()

        webhook_id = str(self.webhook_id)

        data = self.data.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "type": type_,
                "timestamp": timestamp,
                "webhook_id": webhook_id,
                "data": data,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.message_transient_error_event_data import (
            MessageTransientErrorEventData,
        )

        d = dict(src_dict)
        type_ = cast(Literal["message.transient_error"], d.pop("type"))
        if type_ != "message.transient_error":
            raise ValueError(f"type must match const 'message.transient_error', got '{type_}'")

        timestamp = datetime.datetime.fromisoformat(d.pop("timestamp"))

        webhook_id = UUID(d.pop("webhook_id"))

        data = MessageTransientErrorEventData.from_dict(d.pop("data"))

        message_transient_error_event = cls(
            type_=type_,
            timestamp=timestamp,
            webhook_id=webhook_id,
            data=data,
        )

        message_transient_error_event.additional_properties = d
        return message_transient_error_event

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
