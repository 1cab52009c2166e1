from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    Self,
    TypeVar,
    cast,
)
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="NewSmtpCredential")


@_attrs_define
class NewSmtpCredential:
    """A new login for submission with its password.

    Attributes:
        object_ (Literal['credential_smtp']):
        id (UUID):
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        name (str):
        username (str): The user name that a client logs in with.
        sandbox (bool):
        scope (str):
        domains (list[str]): Empty for a global one, and for a scoped one whose domains were all deleted.
        password (str): It is shown only here.
    """

    object_: Literal["credential_smtp"]
    id: UUID
    created_at: datetime.datetime
    updated_at: datetime.datetime
    name: str
    username: str
    sandbox: bool
    scope: str
    domains: list[str]
    password: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id = str(self.id)

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        name = self.name

        username = self.username

        sandbox = self.sandbox

        scope = self.scope

        domains = self.domains

        password = self.password

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "id": id,
                "created_at": created_at,
                "updated_at": updated_at,
                "name": name,
                "username": username,
                "sandbox": sandbox,
                "scope": scope,
                "domains": domains,
                "password": password,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        object_ = cast(Literal["credential_smtp"], d.pop("object"))
        if object_ != "credential_smtp":
            raise ValueError(f"object must match const 'credential_smtp', got '{object_}'")

        id = UUID(d.pop("id"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        name = d.pop("name")

        username = d.pop("username")

        sandbox = d.pop("sandbox")

        scope = d.pop("scope")

        domains = cast(list[str], d.pop("domains"))

        password = d.pop("password")

        new_smtp_credential = cls(
            object_=object_,
            id=id,
            created_at=created_at,
            updated_at=updated_at,
            name=name,
            username=username,
            sandbox=sandbox,
            scope=scope,
            domains=domains,
            password=password,
        )

        new_smtp_credential.additional_properties = d
        return new_smtp_credential

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
