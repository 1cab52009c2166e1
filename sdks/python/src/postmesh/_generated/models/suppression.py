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

T = TypeVar("T", bound="Suppression")


@_attrs_define
class Suppression:
    """An address that a domain does not write to.

    Attributes:
        object_ (Literal['suppression']):
        id (UUID):
        created_at (datetime.datetime):
        email (str):
        domain (str): The sending domain that it applies to.
        reason (str): Empty when none was given.
        protected (bool): The recipient's own decision: an unsubscribe or a spam complaint.
        expires_at (datetime.datetime): 9999-12-31T23:59:59Z when it is permanent.
    """

    object_: Literal["suppression"]
    id: UUID
    created_at: datetime.datetime
    email: str
    domain: str
    reason: str
    protected: bool
    expires_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id = str(self.id)

        created_at = self.created_at.isoformat()

        email = self.email

        domain = self.domain

        reason = self.reason

        protected = self.protected

        expires_at = self.expires_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "id": id,
                "created_at": created_at,
                "email": email,
                "domain": domain,
                "reason": reason,
                "protected": protected,
                "expires_at": expires_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        object_ = cast(Literal["suppression"], d.pop("object"))
        if object_ != "suppression":
            raise ValueError(f"object must match const 'suppression', got '{object_}'")

        id = UUID(d.pop("id"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        email = d.pop("email")

        domain = d.pop("domain")

        reason = d.pop("reason")

        protected = d.pop("protected")

        expires_at = datetime.datetime.fromisoformat(d.pop("expires_at"))

        suppression = cls(
            object_=object_,
            id=id,
            created_at=created_at,
            email=email,
            domain=domain,
            reason=reason,
            protected=protected,
            expires_at=expires_at,
        )

        suppression.additional_properties = d
        return suppression

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
