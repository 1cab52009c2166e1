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
    from ..models.contact_batch_result_data_item import ContactBatchResultDataItem


T = TypeVar("T", bound="ContactBatchResult")


@_attrs_define
class ContactBatchResult:
    """The results of the entries of a batch.

    Attributes:
        object_ (Literal['list']):
        created (int):
        updated (int):
        failed (int):
        data (list[ContactBatchResultDataItem]):
    """

    object_: Literal["list"]
    created: int
    updated: int
    failed: int
    data: list[ContactBatchResultDataItem]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        created = self.created

        updated = self.updated

        failed = self.failed

        data = []
        for data_item_data in self.data:
            data_item = data_item_data.to_dict()
            data.append(data_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "created": created,
                "updated": updated,
                "failed": failed,
                "data": data,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.contact_batch_result_data_item import ContactBatchResultDataItem

        d = dict(src_dict)
        object_ = cast(Literal["list"], d.pop("object"))
        if object_ != "list":
            raise ValueError(f"object must match const 'list', got '{object_}'")

        created = d.pop("created")

        updated = d.pop("updated")

        failed = d.pop("failed")

        data = []
        _data = d.pop("data")
        for data_item_data in _data:
            data_item = ContactBatchResultDataItem.from_dict(data_item_data)

            data.append(data_item)

        contact_batch_result = cls(
            object_=object_,
            created=created,
            updated=updated,
            failed=failed,
            data=data,
        )

        contact_batch_result.additional_properties = d
        return contact_batch_result

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
