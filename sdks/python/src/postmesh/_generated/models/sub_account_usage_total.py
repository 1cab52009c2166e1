from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="SubAccountUsageTotal")


@_attrs_define
class SubAccountUsageTotal:
    """
    Attributes:
        reception_count (int): Accepted outbound messages, one per recipient, sandbox not counted.
        allocated_cost (float): Share of the pooled cost, two decimals. The parts sum to the total.
    """

    reception_count: int
    allocated_cost: float
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        reception_count = self.reception_count

        allocated_cost = self.allocated_cost

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "reception_count": reception_count,
                "allocated_cost": allocated_cost,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        reception_count = d.pop("reception_count")

        allocated_cost = d.pop("allocated_cost")

        sub_account_usage_total = cls(
            reception_count=reception_count,
            allocated_cost=allocated_cost,
        )

        sub_account_usage_total.additional_properties = d
        return sub_account_usage_total

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
