from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.bounce_bucket_bounces_item import BounceBucketBouncesItem


T = TypeVar("T", bound="BounceBucket")


@_attrs_define
class BounceBucket:
    """Bounces by kind, most frequent first.

    Attributes:
        from_timestamp (datetime.datetime): Inclusive. Buckets show their natural bounds, in UTC.
        to_timestamp (datetime.datetime): Exclusive.
        bounces (list[BounceBucketBouncesItem]):
    """

    from_timestamp: datetime.datetime
    to_timestamp: datetime.datetime
    bounces: list[BounceBucketBouncesItem]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from_timestamp = self.from_timestamp.isoformat()

        to_timestamp = self.to_timestamp.isoformat()

        bounces = []
        for bounces_item_data in self.bounces:
            bounces_item = bounces_item_data.to_dict()
            bounces.append(bounces_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "from_timestamp": from_timestamp,
                "to_timestamp": to_timestamp,
                "bounces": bounces,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.bounce_bucket_bounces_item import BounceBucketBouncesItem

        d = dict(src_dict)
        from_timestamp = datetime.datetime.fromisoformat(d.pop("from_timestamp"))

        to_timestamp = datetime.datetime.fromisoformat(d.pop("to_timestamp"))

        bounces = []
        _bounces = d.pop("bounces")
        for bounces_item_data in _bounces:
            bounces_item = BounceBucketBouncesItem.from_dict(bounces_item_data)

            bounces.append(bounces_item)

        bounce_bucket = cls(
            from_timestamp=from_timestamp,
            to_timestamp=to_timestamp,
            bounces=bounces,
        )

        bounce_bucket.additional_properties = d
        return bounce_bucket

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
