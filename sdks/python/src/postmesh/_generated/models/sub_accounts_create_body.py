from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="SubAccountsCreateBody")


@_attrs_define
class SubAccountsCreateBody:
    """
    Attributes:
        name (str):
        website (str): A domain, or an http(s) URL, of which the host is kept.
        monthly_credit (int | None | Unset): Messages that it may send per calendar month (UTC), one per recipient,
            sandbox not counted; 0 = no cap.
    """

    name: str
    website: str
    monthly_credit: int | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        website = self.website

        monthly_credit: int | None | Unset
        if isinstance(self.monthly_credit, Unset):
            monthly_credit = UNSET
        else:
            monthly_credit = self.monthly_credit

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "website": website,
            }
        )
        if monthly_credit is not UNSET:
            field_dict["monthly_credit"] = monthly_credit

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        name = d.pop("name")

        website = d.pop("website")

        def _parse_monthly_credit(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        monthly_credit = _parse_monthly_credit(d.pop("monthly_credit", UNSET))

        sub_accounts_create_body = cls(
            name=name,
            website=website,
            monthly_credit=monthly_credit,
        )

        return sub_accounts_create_body
