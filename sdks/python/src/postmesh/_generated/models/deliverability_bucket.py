from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="DeliverabilityBucket")


@_attrs_define
class DeliverabilityBucket:
    """How many messages, each once per column.

    Attributes:
        from_timestamp (datetime.datetime): Inclusive. Buckets show their natural bounds, in UTC.
        to_timestamp (datetime.datetime): Exclusive.
        reception_count (int): Accepted messages.
        delivered_count (int):
        deferred_count (int): Messages that were deferred at least once.
        bounced_count (int):
        failed_count (int):
        suppressed_count (int):
        opened_count (int): Messages that were opened at least once.
        clicked_count (int): Messages with at least one click.
    """

    from_timestamp: datetime.datetime
    to_timestamp: datetime.datetime
    reception_count: int
    delivered_count: int
    deferred_count: int
    bounced_count: int
    failed_count: int
    suppressed_count: int
    opened_count: int
    clicked_count: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from_timestamp = self.from_timestamp.isoformat()

        to_timestamp = self.to_timestamp.isoformat()

        reception_count = self.reception_count

        delivered_count = self.delivered_count

        deferred_count = self.deferred_count

        bounced_count = self.bounced_count

        failed_count = self.failed_count

        suppressed_count = self.suppressed_count

        opened_count = self.opened_count

        clicked_count = self.clicked_count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "from_timestamp": from_timestamp,
                "to_timestamp": to_timestamp,
                "reception_count": reception_count,
                "delivered_count": delivered_count,
                "deferred_count": deferred_count,
                "bounced_count": bounced_count,
                "failed_count": failed_count,
                "suppressed_count": suppressed_count,
                "opened_count": opened_count,
                "clicked_count": clicked_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        from_timestamp = datetime.datetime.fromisoformat(d.pop("from_timestamp"))

        to_timestamp = datetime.datetime.fromisoformat(d.pop("to_timestamp"))

        reception_count = d.pop("reception_count")

        delivered_count = d.pop("delivered_count")

        deferred_count = d.pop("deferred_count")

        bounced_count = d.pop("bounced_count")

        failed_count = d.pop("failed_count")

        suppressed_count = d.pop("suppressed_count")

        opened_count = d.pop("opened_count")

        clicked_count = d.pop("clicked_count")

        deliverability_bucket = cls(
            from_timestamp=from_timestamp,
            to_timestamp=to_timestamp,
            reception_count=reception_count,
            delivered_count=delivered_count,
            deferred_count=deferred_count,
            bounced_count=bounced_count,
            failed_count=failed_count,
            suppressed_count=suppressed_count,
            opened_count=opened_count,
            clicked_count=clicked_count,
        )

        deliverability_bucket.additional_properties = d
        return deliverability_bucket

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
