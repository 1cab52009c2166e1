from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="CreatedApiKeyScopesItem")


@_attrs_define
class CreatedApiKeyScopesItem:
    """
    Attributes:
        id (UUID):
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        api_key_id (UUID):
        scope (str): As it was granted, e.g. `messages:send:{shop.test}`.
        domain_id (None | UUID): The domain of a domain scope, else null.
    """

    id: UUID
    created_at: datetime.datetime
    updated_at: datetime.datetime
    api_key_id: UUID
    scope: str
    domain_id: None | UUID
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        api_key_id = str(self.api_key_id)

        scope = self.scope

        domain_id: None | str
        if isinstance(self.domain_id, UUID):
            domain_id = str(self.domain_id)
        else:
            domain_id = self.domain_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "created_at": created_at,
                "updated_at": updated_at,
                "api_key_id": api_key_id,
                "scope": scope,
                "domain_id": domain_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        id = UUID(d.pop("id"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        api_key_id = UUID(d.pop("api_key_id"))

        scope = d.pop("scope")

        def _parse_domain_id(data: object) -> None | UUID:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                domain_id_type_0 = UUID(data)

                return domain_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | UUID, data)

        domain_id = _parse_domain_id(d.pop("domain_id"))

        created_api_key_scopes_item = cls(
            id=id,
            created_at=created_at,
            updated_at=updated_at,
            api_key_id=api_key_id,
            scope=scope,
            domain_id=domain_id,
        )

        created_api_key_scopes_item.additional_properties = d
        return created_api_key_scopes_item

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
