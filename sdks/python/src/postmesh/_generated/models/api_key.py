from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Self,
    TypeVar,
    cast,
)
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.api_key_scopes_item import ApiKeyScopesItem


T = TypeVar("T", bound="ApiKey")


@_attrs_define
class ApiKey:
    """An API key, without its secret.

    Attributes:
        object_ (Literal['api_key']):
        id (UUID):
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        last_used_at (datetime.datetime | None): Null until the first authenticated request; then at most ten minutes
            late.
        account_id (UUID): The account that owns the key.
        label (str):
        public_key (str): Names the key to people; it cannot authenticate.
        scopes (list[ApiKeyScopesItem]): In grant order.
        ip_allow_list (list[str]): CIDR blocks from which the key may be used; empty = no restriction.
    """

    object_: Literal["api_key"]
    id: UUID
    created_at: datetime.datetime
    updated_at: datetime.datetime
    last_used_at: datetime.datetime | None
    account_id: UUID
    label: str
    public_key: str
    scopes: list[ApiKeyScopesItem]
    ip_allow_list: list[str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id = str(self.id)

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        last_used_at: None | str
        if isinstance(self.last_used_at, datetime.datetime):
            last_used_at = self.last_used_at.isoformat()
        else:
            last_used_at = self.last_used_at

        account_id = str(self.account_id)

        label = self.label

        public_key = self.public_key

        scopes = []
        for scopes_item_data in self.scopes:
            scopes_item = scopes_item_data.to_dict()
            scopes.append(scopes_item)

        ip_allow_list = self.ip_allow_list

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "id": id,
                "created_at": created_at,
                "updated_at": updated_at,
                "last_used_at": last_used_at,
                "account_id": account_id,
                "label": label,
                "public_key": public_key,
                "scopes": scopes,
                "ip_allow_list": ip_allow_list,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.api_key_scopes_item import ApiKeyScopesItem

        d = dict(src_dict)
        object_ = cast(Literal["api_key"], d.pop("object"))
        if object_ != "api_key":
            raise ValueError(f"object must match const 'api_key', got '{object_}'")

        id = UUID(d.pop("id"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        def _parse_last_used_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_used_at_type_0 = datetime.datetime.fromisoformat(data)

                return last_used_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        last_used_at = _parse_last_used_at(d.pop("last_used_at"))

        account_id = UUID(d.pop("account_id"))

        label = d.pop("label")

        public_key = d.pop("public_key")

        scopes = []
        _scopes = d.pop("scopes")
        for scopes_item_data in _scopes:
            scopes_item = ApiKeyScopesItem.from_dict(scopes_item_data)

            scopes.append(scopes_item)

        ip_allow_list = cast(list[str], d.pop("ip_allow_list"))

        api_key = cls(
            object_=object_,
            id=id,
            created_at=created_at,
            updated_at=updated_at,
            last_used_at=last_used_at,
            account_id=account_id,
            label=label,
            public_key=public_key,
            scopes=scopes,
            ip_allow_list=ip_allow_list,
        )

        api_key.additional_properties = d
        return api_key

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
