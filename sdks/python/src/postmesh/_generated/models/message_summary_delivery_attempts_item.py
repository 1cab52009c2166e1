from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="MessageSummaryDeliveryAttemptsItem")


@_attrs_define
class MessageSummaryDeliveryAttemptsItem:
    """
    Attributes:
        time (datetime.datetime):
        log (str): The words of the remote server.
        status (str): `Delivery`, `TransientFailure`, `Bounce`, `Expiration`, `Suppression`, `Cancellation`.
    """

    time: datetime.datetime
    log: str
    status: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        time = self.time.isoformat()

        log = self.log

        status = self.status

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "time": time,
                "log": log,
                "status": status,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        time = datetime.datetime.fromisoformat(d.pop("time"))

        log = d.pop("log")

        status = d.pop("status")

        message_summary_delivery_attempts_item = cls(
            time=time,
            log=log,
            status=status,
        )

        message_summary_delivery_attempts_item.additional_properties = d
        return message_summary_delivery_attempts_item

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
