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

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.contact import Contact


T = TypeVar("T", bound="ListMember")


@_attrs_define
class ListMember:
    """A contact on a list, with the whole contact if requested.

    Attributes:
        object_ (Literal['list_contact']):
        list_id (UUID):
        contact_id (UUID):
        email (str):
        subscription_status (str):
        subscribed_at (datetime.datetime | None):
        unsubscribed_at (datetime.datetime | None):
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        contact (Contact | Unset): A possible recipient of campaigns of the account.
    """

    object_: Literal["list_contact"]
    list_id: UUID
    contact_id: UUID
    email: str
    subscription_status: str
    subscribed_at: datetime.datetime | None
    unsubscribed_at: datetime.datetime | None
    created_at: datetime.datetime
    updated_at: datetime.datetime
    contact: Contact | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        list_id = str(self.list_id)

        contact_id = str(self.contact_id)

        email = self.email

        subscription_status = self.subscription_status

        subscribed_at: None | str
        if isinstance(self.subscribed_at, datetime.datetime):
            subscribed_at = self.subscribed_at.isoformat()
        else:
            subscribed_at = self.subscribed_at

        unsubscribed_at: None | str
        if isinstance(self.unsubscribed_at, datetime.datetime):
            unsubscribed_at = self.unsubscribed_at.isoformat()
        else:
            unsubscribed_at = self.unsubscribed_at

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        contact: dict[str, Any] | Unset = UNSET
        if not isinstance(self.contact, Unset):
            contact = self.contact.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "list_id": list_id,
                "contact_id": contact_id,
                "email": email,
                "subscription_status": subscription_status,
                "subscribed_at": subscribed_at,
                "unsubscribed_at": unsubscribed_at,
                "created_at": created_at,
                "updated_at": updated_at,
            }
        )
        if contact is not UNSET:
            field_dict["contact"] = contact

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.contact import Contact

        d = dict(src_dict)
        object_ = cast(Literal["list_contact"], d.pop("object"))
        if object_ != "list_contact":
            raise ValueError(f"object must match const 'list_contact', got '{object_}'")

        list_id = UUID(d.pop("list_id"))

        contact_id = UUID(d.pop("contact_id"))

        email = d.pop("email")

        subscription_status = d.pop("subscription_status")

        def _parse_subscribed_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                subscribed_at_type_0 = datetime.datetime.fromisoformat(data)

                return subscribed_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        subscribed_at = _parse_subscribed_at(d.pop("subscribed_at"))

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

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        _contact = d.pop("contact", UNSET)
        contact: Contact | Unset
        if isinstance(_contact, Unset):
            contact = UNSET
        else:
            contact = Contact.from_dict(_contact)

        list_member = cls(
            object_=object_,
            list_id=list_id,
            contact_id=contact_id,
            email=email,
            subscription_status=subscription_status,
            subscribed_at=subscribed_at,
            unsubscribed_at=unsubscribed_at,
            created_at=created_at,
            updated_at=updated_at,
            contact=contact,
        )

        list_member.additional_properties = d
        return list_member

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
