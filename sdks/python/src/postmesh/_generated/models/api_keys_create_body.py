from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="ApiKeysCreateBody")


@_attrs_define
class ApiKeysCreateBody:
    """
    Attributes:
        label (str):
        scopes (list[str]):
        ip_allow_list (list[str] | None | Unset):
    """

    label: str
    scopes: list[str]
    ip_allow_list: list[str] | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        label = self.label

        scopes = []
        for scopes_item_data in self.scopes:
            scopes_item: str
            scopes_item = scopes_item_data
            scopes.append(scopes_item)

        ip_allow_list: list[str] | None | Unset
        if isinstance(self.ip_allow_list, Unset):
            ip_allow_list = UNSET
        elif isinstance(self.ip_allow_list, list):
            ip_allow_list = self.ip_allow_list

        else:
            ip_allow_list = self.ip_allow_list

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "label": label,
                "scopes": scopes,
            }
        )
        if ip_allow_list is not UNSET:
            field_dict["ip_allow_list"] = ip_allow_list

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        label = d.pop("label")

        scopes = []
        _scopes = d.pop("scopes")
        for scopes_item_data in _scopes:

            def _parse_scopes_item(data: object) -> str:
                return cast(str, data)

            scopes_item = _parse_scopes_item(scopes_item_data)

            scopes.append(scopes_item)

        def _parse_ip_allow_list(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                ip_allow_list_type_0 = cast(list[str], data)

                return ip_allow_list_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        ip_allow_list = _parse_ip_allow_list(d.pop("ip_allow_list", UNSET))

        api_keys_create_body = cls(
            label=label,
            scopes=scopes,
            ip_allow_list=ip_allow_list,
        )

        return api_keys_create_body
