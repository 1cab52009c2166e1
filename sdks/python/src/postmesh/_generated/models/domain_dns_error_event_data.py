from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="DomainDnsErrorEventData")


@_attrs_define
class DomainDnsErrorEventData:
    """
    Attributes:
        domain (str):
        account_id (UUID):
        spf_valid (bool):
        dkim_valid (bool):
        dmarc_valid (bool):
        dns_last_checked_at (datetime.datetime):
    """

    domain: str
    account_id: UUID
    spf_valid: bool
    dkim_valid: bool
    dmarc_valid: bool
    dns_last_checked_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        domain = self.domain

        account_id = str(self.account_id)

        spf_valid = self.spf_valid

        dkim_valid = self.dkim_valid

        dmarc_valid = self.dmarc_valid

        dns_last_checked_at = self.dns_last_checked_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "domain": domain,
                "account_id": account_id,
                "spf_valid": spf_valid,
                "dkim_valid": dkim_valid,
                "dmarc_valid": dmarc_valid,
                "dns_last_checked_at": dns_last_checked_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        domain = d.pop("domain")

        account_id = UUID(d.pop("account_id"))

        spf_valid = d.pop("spf_valid")

        dkim_valid = d.pop("dkim_valid")

        dmarc_valid = d.pop("dmarc_valid")

        dns_last_checked_at = datetime.datetime.fromisoformat(d.pop("dns_last_checked_at"))

        domain_dns_error_event_data = cls(
            domain=domain,
            account_id=account_id,
            spf_valid=spf_valid,
            dkim_valid=dkim_valid,
            dmarc_valid=dmarc_valid,
            dns_last_checked_at=dns_last_checked_at,
        )

        domain_dns_error_event_data.additional_properties = d
        return domain_dns_error_event_data

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
