from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="SuppressionCreatedEventData")


@_attrs_define
class SuppressionCreatedEventData:
    """
    Attributes:
        account_id (UUID):
        recipient (str):
        created_at (datetime.datetime):
        expires_at (datetime.datetime):
        reason (str):
        sending_domain (str):
    """

    account_id: UUID
    recipient: str
    created_at: datetime.datetime
    expires_at: datetime.datetime
    reason: str
    sending_domain: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        account_id = str(self.account_id)

        recipient = self.recipient

        created_at = self.created_at.isoformat()

        expires_at = self.expires_at.isoformat()

        reason = self.reason

        sending_domain = self.sending_domain

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "account_id": account_id,
                "recipient": recipient,
                "created_at": created_at,
                "expires_at": expires_at,
                "reason": reason,
                "sending_domain": sending_domain,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        account_id = UUID(d.pop("account_id"))

        recipient = d.pop("recipient")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        expires_at = datetime.datetime.fromisoformat(d.pop("expires_at"))

        reason = d.pop("reason")

        sending_domain = d.pop("sending_domain")

        suppression_created_event_data = cls(
            account_id=account_id,
            recipient=recipient,
            created_at=created_at,
            expires_at=expires_at,
            reason=reason,
            sending_domain=sending_domain,
        )

        suppression_created_event_data.additional_properties = d
        return suppression_created_event_data

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
