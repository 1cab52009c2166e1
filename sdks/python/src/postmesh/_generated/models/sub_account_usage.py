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

if TYPE_CHECKING:
    from ..models.sub_account_usage_billing_period import SubAccountUsageBillingPeriod
    from ..models.sub_account_usage_parent import SubAccountUsageParent
    from ..models.sub_account_usage_removed_sub_accounts import (
        SubAccountUsageRemovedSubAccounts,
    )
    from ..models.sub_account_usage_sub_accounts_item import (
        SubAccountUsageSubAccountsItem,
    )
    from ..models.sub_account_usage_total import SubAccountUsageTotal


T = TypeVar("T", bound="SubAccountUsage")


@_attrs_define
class SubAccountUsage:
    """The usage of an account and its sub-accounts in this month.

    Attributes:
        billing_period (SubAccountUsageBillingPeriod): The current calendar month in UTC.
        currency (str): Lower-case code.
        allocation_method (Literal['proportional']):
        allocation_note (str): Explains the allocated cost to readers.
        parent (SubAccountUsageParent):
        sub_accounts (list[SubAccountUsageSubAccountsItem]): Every sub-account that is not deleted, oldest first.
        removed_sub_accounts (SubAccountUsageRemovedSubAccounts): Sub-accounts that were deleted during the period,
            together.
        total (SubAccountUsageTotal):
    """

    billing_period: SubAccountUsageBillingPeriod
    currency: str
    allocation_method: Literal["proportional"]
    allocation_note: str
    parent: SubAccountUsageParent
    sub_accounts: list[SubAccountUsageSubAccountsItem]
    removed_sub_accounts: SubAccountUsageRemovedSubAccounts
    total: SubAccountUsageTotal
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        billing_period = self.billing_period.to_dict()

        currency = self.currency

        allocation_method = self.allocation_method

        allocation_note = self.allocation_note

        parent = self.parent.to_dict()

        sub_accounts = []
        for sub_accounts_item_data in self.sub_accounts:
            sub_accounts_item = sub_accounts_item_data.to_dict()
            sub_accounts.append(sub_accounts_item)

        removed_sub_accounts = self.removed_sub_accounts.to_dict()

        total = self.total.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "billing_period": billing_period,
                "currency": currency,
                "allocation_method": allocation_method,
                "allocation_note": allocation_note,
                "parent": parent,
                "sub_accounts": sub_accounts,
                "removed_sub_accounts": removed_sub_accounts,
                "total": total,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.sub_account_usage_billing_period import (
            SubAccountUsageBillingPeriod,
        )
        from ..models.sub_account_usage_parent import SubAccountUsageParent
        from ..models.sub_account_usage_removed_sub_accounts import (
            SubAccountUsageRemovedSubAccounts,
        )
        from ..models.sub_account_usage_sub_accounts_item import (
            SubAccountUsageSubAccountsItem,
        )
        from ..models.sub_account_usage_total import SubAccountUsageTotal

        d = dict(src_dict)
        billing_period = SubAccountUsageBillingPeriod.from_dict(d.pop("billing_period"))

        currency = d.pop("currency")

        allocation_method = cast(Literal["proportional"], d.pop("allocation_method"))
        if allocation_method != "proportional":
            raise ValueError(f"allocation_method must match const 'proportional', got '{allocation_method}'")

        allocation_note = d.pop("allocation_note")

        parent = SubAccountUsageParent.from_dict(d.pop("parent"))

        sub_accounts = []
        _sub_accounts = d.pop("sub_accounts")
        for sub_accounts_item_data in _sub_accounts:
            sub_accounts_item = SubAccountUsageSubAccountsItem.from_dict(sub_accounts_item_data)

            sub_accounts.append(sub_accounts_item)

        removed_sub_accounts = SubAccountUsageRemovedSubAccounts.from_dict(d.pop("removed_sub_accounts"))

        total = SubAccountUsageTotal.from_dict(d.pop("total"))

        sub_account_usage = cls(
            billing_period=billing_period,
            currency=currency,
            allocation_method=allocation_method,
            allocation_note=allocation_note,
            parent=parent,
            sub_accounts=sub_accounts,
            removed_sub_accounts=removed_sub_accounts,
            total=total,
        )

        sub_account_usage.additional_properties = d
        return sub_account_usage

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
