from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.smtp_credentials_create_body_scope import (
    SmtpCredentialsCreateBodyScope,
    check_smtp_credentials_create_body_scope,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="SmtpCredentialsCreateBody")


@_attrs_define
class SmtpCredentialsCreateBody:
    """
    Attributes:
        name (str):
        scope (SmtpCredentialsCreateBodyScope): `global`: sends from every domain of the account; `scoped`: from the
            listed ones.
        sandbox (bool | None | Unset): Every message through it is simulated, nothing is delivered.
        domains (list[str] | None | Unset): Domains of the account. Needed when `scoped`, ignored when `global`.
    """

    name: str
    scope: SmtpCredentialsCreateBodyScope
    sandbox: bool | None | Unset = UNSET
    domains: list[str] | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        scope: str = self.scope

        sandbox: bool | None | Unset
        if isinstance(self.sandbox, Unset):
            sandbox = UNSET
        else:
            sandbox = self.sandbox

        domains: list[str] | None | Unset
        if isinstance(self.domains, Unset):
            domains = UNSET
        elif isinstance(self.domains, list):
            domains = self.domains

        else:
            domains = self.domains

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "scope": scope,
            }
        )
        if sandbox is not UNSET:
            field_dict["sandbox"] = sandbox
        if domains is not UNSET:
            field_dict["domains"] = domains

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        name = d.pop("name")

        scope = check_smtp_credentials_create_body_scope(d.pop("scope"))

        def _parse_sandbox(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        sandbox = _parse_sandbox(d.pop("sandbox", UNSET))

        def _parse_domains(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                domains_type_0 = cast(list[str], data)

                return domains_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        domains = _parse_domains(d.pop("domains", UNSET))

        smtp_credentials_create_body = cls(
            name=name,
            scope=scope,
            sandbox=sandbox,
            domains=domains,
        )

        return smtp_credentials_create_body
