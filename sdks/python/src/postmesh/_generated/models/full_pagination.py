from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="FullPagination")


@_attrs_define
class FullPagination:
    """Where this page stands in the list.

    Attributes:
        has_more (bool): Whether the list continues in the requested direction.
        next_cursor (None | str): Give it as `after` to get the next page. null on the last page.
        previous_cursor (None | str): Give it as `before` to get the page before. null at the start of the list.
    """

    has_more: bool
    next_cursor: None | str
    previous_cursor: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        has_more = self.has_more

        next_cursor: None | str
        next_cursor = self.next_cursor

        previous_cursor: None | str
        previous_cursor = self.previous_cursor

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "has_more": has_more,
                "next_cursor": next_cursor,
                "previous_cursor": previous_cursor,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        has_more = d.pop("has_more")

        def _parse_next_cursor(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        next_cursor = _parse_next_cursor(d.pop("next_cursor"))

        def _parse_previous_cursor(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        previous_cursor = _parse_previous_cursor(d.pop("previous_cursor"))

        full_pagination = cls(
            has_more=has_more,
            next_cursor=next_cursor,
            previous_cursor=previous_cursor,
        )

        full_pagination.additional_properties = d
        return full_pagination

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
