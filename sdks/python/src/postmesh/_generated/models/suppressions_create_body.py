from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="SuppressionsCreateBody")


@_attrs_define
class SuppressionsCreateBody:
    """
    Attributes:
        email (str): Who is not to be written to.
        expires_at (datetime.datetime): From then on it blocks nothing. In the future.
        domain (None | str | Unset): The sending domain that it applies to, one of the account; without it, all of them.
        reason (None | str | Unset):
    """

    email: str
    expires_at: datetime.datetime
    domain: None | str | Unset = UNSET
    reason: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        email = self.email

        expires_at = self.expires_at.isoformat()

        domain: None | str | Unset
        if isinstance(self.domain, Unset):
            domain = UNSET
        else:
            domain = self.domain

        reason: None | str | Unset
        if isinstance(self.reason, Unset):
            reason = UNSET
        else:
            reason = self.reason

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "email": email,
                "expires_at": expires_at,
            }
        )
        if domain is not UNSET:
            field_dict["domain"] = domain
        if reason is not UNSET:
            field_dict["reason"] = reason

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        email = d.pop("email")

        expires_at = datetime.datetime.fromisoformat(d.pop("expires_at"))

        def _parse_domain(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        domain = _parse_domain(d.pop("domain", UNSET))

        def _parse_reason(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        reason = _parse_reason(d.pop("reason", UNSET))

        suppressions_create_body = cls(
            email=email,
            expires_at=expires_at,
            domain=domain,
            reason=reason,
        )

        return suppressions_create_body
