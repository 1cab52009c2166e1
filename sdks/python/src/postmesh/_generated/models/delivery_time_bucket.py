from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.delivery_time_bucket_delivery_times_item import (
        DeliveryTimeBucketDeliveryTimesItem,
    )


T = TypeVar("T", bound="DeliveryTimeBucket")


@_attrs_define
class DeliveryTimeBucket:
    """How long deliveries took.

    Attributes:
        from_timestamp (datetime.datetime): Inclusive. Buckets show their natural bounds, in UTC.
        to_timestamp (datetime.datetime): Exclusive.
        avg_delivery_time (float): Seconds from acceptance to delivery; 0 when nothing was delivered.
        delivered_count (int):
        delivery_times (list[DeliveryTimeBucketDeliveryTimesItem]): By recipient domain, most messages first.
    """

    from_timestamp: datetime.datetime
    to_timestamp: datetime.datetime
    avg_delivery_time: float
    delivered_count: int
    delivery_times: list[DeliveryTimeBucketDeliveryTimesItem]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from_timestamp = self.from_timestamp.isoformat()

        to_timestamp = self.to_timestamp.isoformat()

        avg_delivery_time = self.avg_delivery_time

        delivered_count = self.delivered_count

        delivery_times = []
        for delivery_times_item_data in self.delivery_times:
            delivery_times_item = delivery_times_item_data.to_dict()
            delivery_times.append(delivery_times_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "from_timestamp": from_timestamp,
                "to_timestamp": to_timestamp,
                "avg_delivery_time": avg_delivery_time,
                "delivered_count": delivered_count,
                "delivery_times": delivery_times,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.delivery_time_bucket_delivery_times_item import (
            DeliveryTimeBucketDeliveryTimesItem,
        )

        d = dict(src_dict)
        from_timestamp = datetime.datetime.fromisoformat(d.pop("from_timestamp"))

        to_timestamp = datetime.datetime.fromisoformat(d.pop("to_timestamp"))

        avg_delivery_time = d.pop("avg_delivery_time")

        delivered_count = d.pop("delivered_count")

        delivery_times = []
        _delivery_times = d.pop("delivery_times")
        for delivery_times_item_data in _delivery_times:
            delivery_times_item = DeliveryTimeBucketDeliveryTimesItem.from_dict(delivery_times_item_data)

            delivery_times.append(delivery_times_item)

        delivery_time_bucket = cls(
            from_timestamp=from_timestamp,
            to_timestamp=to_timestamp,
            avg_delivery_time=avg_delivery_time,
            delivered_count=delivered_count,
            delivery_times=delivery_times,
        )

        delivery_time_bucket.additional_properties = d
        return delivery_time_bucket

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
