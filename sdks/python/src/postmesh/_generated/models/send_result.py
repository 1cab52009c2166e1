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

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.send_result_recipient import SendResultRecipient
    from ..models.send_result_schedule import SendResultSchedule


T = TypeVar("T", bound="SendResult")


@_attrs_define
class SendResult:
    """What became of one recipient of a send.

    Attributes:
        object_ (Literal['message']):
        id (None | str): The Message-ID, with angle brackets; null when nothing is sent to this recipient.
        recipient (SendResultRecipient):
        status (str):
        error (str | Unset): Why nothing is sent to this recipient. Left out for the others.
        schedule (SendResultSchedule | Unset): As it was given; left out when there was none.
    """

    object_: Literal["message"]
    id: None | str
    recipient: SendResultRecipient
    status: str
    error: str | Unset = UNSET
    schedule: SendResultSchedule | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id: None | str
        id = self.id

        recipient = self.recipient.to_dict()

        status = self.status

        error = self.error

        schedule: dict[str, Any] | Unset = UNSET
        if not isinstance(self.schedule, Unset):
            schedule = self.schedule.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "id": id,
                "recipient": recipient,
                "status": status,
            }
        )
        if error is not UNSET:
            field_dict["error"] = error
        if schedule is not UNSET:
            field_dict["schedule"] = schedule

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.send_result_recipient import SendResultRecipient
        from ..models.send_result_schedule import SendResultSchedule

        d = dict(src_dict)
        object_ = cast(Literal["message"], d.pop("object"))
        if object_ != "message":
            raise ValueError(f"object must match const 'message', got '{object_}'")

        def _parse_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        id = _parse_id(d.pop("id"))

        recipient = SendResultRecipient.from_dict(d.pop("recipient"))

        status = d.pop("status")

        error = d.pop("error", UNSET)

        _schedule = d.pop("schedule", UNSET)
        schedule: SendResultSchedule | Unset
        if isinstance(_schedule, Unset):
            schedule = UNSET
        else:
            schedule = SendResultSchedule.from_dict(_schedule)

        send_result = cls(
            object_=object_,
            id=id,
            recipient=recipient,
            status=status,
            error=error,
            schedule=schedule,
        )

        send_result.additional_properties = d
        return send_result

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
