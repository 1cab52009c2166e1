from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="SubAccountUsageParent")


@_attrs_define
class SubAccountUsageParent:
    """
    Attributes:
        account_id (UUID):
        reception_count (int): Accepted outbound messages, one per recipient, sandbox not counted.
        allocated_cost (float): Share of the pooled cost, two decimals. The parts sum to the total.
    """

    account_id: UUID
    reception_count: int
    allocated_cost: float
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        account_id = str(self.account_id)

        reception_count = self.reception_count

        allocated_cost = self.allocated_cost

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "account_id": account_id,
                "reception_count": reception_count,
                "allocated_cost": allocated_cost,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        account_id = UUID(d.pop("account_id"))

        reception_count = d.pop("reception_count")

        allocated_cost = d.pop("allocated_cost")

        sub_account_usage_parent = cls(
            account_id=account_id,
            reception_count=reception_count,
            allocated_cost=allocated_cost,
        )

        sub_account_usage_parent.additional_properties = d
        return sub_account_usage_parent

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
