from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="SubAccountApiKeysUpdateBody")


@_attrs_define
class SubAccountApiKeysUpdateBody:
    """
    Attributes:
        label (None | str | Unset):
        scopes (list[str] | None | Unset):
        ip_allow_list (list[str] | None | Unset):
    """

    label: None | str | Unset = UNSET
    scopes: list[str] | None | Unset = UNSET
    ip_allow_list: list[str] | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        label: None | str | Unset
        if isinstance(self.label, Unset):
            label = UNSET
        else:
            label = self.label

        scopes: list[str] | None | Unset
        if isinstance(self.scopes, Unset):
            scopes = UNSET
        elif isinstance(self.scopes, list):
            scopes = []
            for scopes_type_0_item_data in self.scopes:
                scopes_type_0_item: str
                scopes_type_0_item = scopes_type_0_item_data
                scopes.append(scopes_type_0_item)

        else:
            scopes = self.scopes

        ip_allow_list: list[str] | None | Unset
        if isinstance(self.ip_allow_list, Unset):
            ip_allow_list = UNSET
        elif isinstance(self.ip_allow_list, list):
            ip_allow_list = self.ip_allow_list

        else:
            ip_allow_list = self.ip_allow_list

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if label is not UNSET:
            field_dict["label"] = label
        if scopes is not UNSET:
            field_dict["scopes"] = scopes
        if ip_allow_list is not UNSET:
            field_dict["ip_allow_list"] = ip_allow_list

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)

        def _parse_label(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        label = _parse_label(d.pop("label", UNSET))

        def _parse_scopes(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                scopes_type_0 = []
                _scopes_type_0 = data
                for scopes_type_0_item_data in _scopes_type_0:

                    def _parse_scopes_type_0_item(data: object) -> str:
                        return cast(str, data)

                    scopes_type_0_item = _parse_scopes_type_0_item(scopes_type_0_item_data)

                    scopes_type_0.append(scopes_type_0_item)

                return scopes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        scopes = _parse_scopes(d.pop("scopes", UNSET))

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

        sub_account_api_keys_update_body = cls(
            label=label,
            scopes=scopes,
            ip_allow_list=ip_allow_list,
        )

        return sub_account_api_keys_update_body
