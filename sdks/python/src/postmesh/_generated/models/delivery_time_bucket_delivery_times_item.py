from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="DeliveryTimeBucketDeliveryTimesItem")


@_attrs_define
class DeliveryTimeBucketDeliveryTimesItem:
    """
    Attributes:
        recipient_domain (str):
        delivery_time (float): Average, in seconds.
        count (int):
    """

    recipient_domain: str
    delivery_time: float
    count: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        recipient_domain = self.recipient_domain

        delivery_time = self.delivery_time

        count = self.count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "recipient_domain": recipient_domain,
                "delivery_time": delivery_time,
                "count": count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        recipient_domain = d.pop("recipient_domain")

        delivery_time = d.pop("delivery_time")

        count = d.pop("count")

        delivery_time_bucket_delivery_times_item = cls(
            recipient_domain=recipient_domain,
            delivery_time=delivery_time,
            count=count,
        )

        delivery_time_bucket_delivery_times_item.additional_properties = d
        return delivery_time_bucket_delivery_times_item

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
