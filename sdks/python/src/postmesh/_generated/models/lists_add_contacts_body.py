from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.listed_contact_input import ListedContactInput


T = TypeVar("T", bound="ListsAddContactsBody")


@_attrs_define
class ListsAddContactsBody:
    """
    Attributes:
        data (list[ListedContactInput]): Each names one contact: `{"email": "…"}` or `{"id": "…"}`.
    """

    data: list[ListedContactInput]

    def to_dict(self) -> dict[str, Any]:
        data = []
        for data_item_data in self.data:
            data_item = data_item_data.to_dict()
            data.append(data_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "data": data,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.listed_contact_input import ListedContactInput

        d = dict(src_dict)
        data = []
        _data = d.pop("data")
        for data_item_data in _data:
            data_item = ListedContactInput.from_dict(data_item_data)

            data.append(data_item)

        lists_add_contacts_body = cls(
            data=data,
        )

        return lists_add_contacts_body
