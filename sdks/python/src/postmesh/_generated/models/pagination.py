from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="Pagination")


@_attrs_define
class Pagination:
    """Where this page stands in the list.

    Attributes:
        has_more (bool): Whether items exist after the last one of this page.
        next_cursor (str | Unset): Give it as `after` to get the next page. Left out on the last page.
        previous_cursor (str | Unset): Give it as `before` to get the page before. Left out at the start of the list.
    """

    has_more: bool
    next_cursor: str | Unset = UNSET
    previous_cursor: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        has_more = self.has_more

        next_cursor = self.next_cursor

        previous_cursor = self.previous_cursor

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "has_more": has_more,
            }
        )
        if next_cursor is not UNSET:
            field_dict["next_cursor"] = next_cursor
        if previous_cursor is not UNSET:
            field_dict["previous_cursor"] = previous_cursor

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        has_more = d.pop("has_more")

        next_cursor = d.pop("next_cursor", UNSET)

        previous_cursor = d.pop("previous_cursor", UNSET)

        pagination = cls(
            has_more=has_more,
            next_cursor=next_cursor,
            previous_cursor=previous_cursor,
        )

        pagination.additional_properties = d
        return pagination

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
