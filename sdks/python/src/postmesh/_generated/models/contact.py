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
    from ..models.contact_attributes import ContactAttributes


T = TypeVar("T", bound="Contact")


@_attrs_define
class Contact:
    """A possible recipient of campaigns of the account.

    Attributes:
        object_ (Literal['contact']):
        id (UUID):
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        email (str):
        first_name (str):
        last_name (str):
        status (str):
        status_reason (str):
        unsubscribed (bool):
        unsubscribed_at (datetime.datetime | None):
        attributes (ContactAttributes):
        validation_status (str):
        last_validated_at (datetime.datetime | None):
    """

    object_: Literal["contact"]
    id: UUID
    created_at: datetime.datetime
    updated_at: datetime.datetime
    email: str
    first_name: str
    last_name: str
    status: str
    status_reason: str
    unsubscribed: bool
    unsubscribed_at: datetime.datetime | None
    attributes: ContactAttributes
    validation_status: str
    last_validated_at: datetime.datetime | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id = str(self.id)

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        email = self.email

        first_name = self.first_name

        last_name = self.last_name

        status = self.status

        status_reason = self.status_reason

        unsubscribed = self.unsubscribed

        unsubscribed_at: None | str
        if isinstance(self.unsubscribed_at, datetime.datetime):
            unsubscribed_at = self.unsubscribed_at.isoformat()
        else:
            unsubscribed_at = self.unsubscribed_at

        attributes = self.attributes.to_dict()

        validation_status = self.validation_status

        last_validated_at: None | str
        if isinstance(self.last_validated_at, datetime.datetime):
            last_validated_at = self.last_validated_at.isoformat()
        else:
            last_validated_at = self.last_validated_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "id": id,
                "created_at": created_at,
                "updated_at": updated_at,
                "email": email,
                "first_name": first_name,
                "last_name": last_name,
                "status": status,
                "status_reason": status_reason,
                "unsubscribed": unsubscribed,
                "unsubscribed_at": unsubscribed_at,
                "attributes": attributes,
                "validation_status": validation_status,
                "last_validated_at": last_validated_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.contact_attributes import ContactAttributes

        d = dict(src_dict)
        object_ = cast(Literal["contact"], d.pop("object"))
        if object_ != "contact":
            raise ValueError(f"object must match const 'contact', got '{object_}'")

        id = UUID(d.pop("id"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        email = d.pop("email")

        first_name = d.pop("first_name")

        last_name = d.pop("last_name")

        status = d.pop("status")

        status_reason = d.pop("status_reason")

        unsubscribed = d.pop("unsubscribed")

        def _parse_unsubscribed_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                unsubscribed_at_type_0 = datetime.datetime.fromisoformat(data)

                return unsubscribed_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        unsubscribed_at = _parse_unsubscribed_at(d.pop("unsubscribed_at"))

        attributes = ContactAttributes.from_dict(d.pop("attributes"))

        validation_status = d.pop("validation_status")

        def _parse_last_validated_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_validated_at_type_0 = datetime.datetime.fromisoformat(data)

                return last_validated_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        last_validated_at = _parse_last_validated_at(d.pop("last_validated_at"))

        contact = cls(
            object_=object_,
            id=id,
            created_at=created_at,
            updated_at=updated_at,
            email=email,
            first_name=first_name,
            last_name=last_name,
            status=status,
            status_reason=status_reason,
            unsubscribed=unsubscribed,
            unsubscribed_at=unsubscribed_at,
            attributes=attributes,
            validation_status=validation_status,
            last_validated_at=last_validated_at,
        )

        contact.additional_properties = d
        return contact

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
