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

T = TypeVar("T", bound="Account")


@_attrs_define
class Account:
    """An account with its profile and its defaults for sends.

    Attributes:
        object_ (Literal['account']):
        id (UUID):
        parent_account_id (None | UUID): null for a top-level account
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        name (str):
        website (str): the host, e.g. `example.com`; empty when there is none
        about (str):
        track_opens (bool): default for sends without this field
        track_clicks (bool): default for sends without this field
        reject_bad_recipients (bool): refuse recipients at known throw-away and toxic domains
        reject_mistyped_recipients (bool): refuse recipients at known misspellings of provider domains
        message_metadata_retention (int): days
        message_data_retention (int): days
        owner_id (UUID): the user who owns the account
    """

    object_: Literal["account"]
    id: UUID
    parent_account_id: None | UUID
    created_at: datetime.datetime
    updated_at: datetime.datetime
    name: str
    website: str
    about: str
    track_opens: bool
    track_clicks: bool
    reject_bad_recipients: bool
    reject_mistyped_recipients: bool
    message_metadata_retention: int
    message_data_retention: int
    owner_id: UUID
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id = str(self.id)

        parent_account_id: None | str
        if isinstance(self.parent_account_id, UUID):
            parent_account_id = str(self.parent_account_id)
        else:
            parent_account_id = self.parent_account_id

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        name = self.name

        website = self.website

        about = self.about

        track_opens = self.track_opens

        track_clicks = self.track_clicks

        reject_bad_recipients = self.reject_bad_recipients

        reject_mistyped_recipients = self.reject_mistyped_recipients

        message_metadata_retention = self.message_metadata_retention

        message_data_retention = self.message_data_retention

        owner_id = str(self.owner_id)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "id": id,
                "parent_account_id": parent_account_id,
                "created_at": created_at,
                "updated_at": updated_at,
                "name": name,
                "website": website,
                "about": about,
                "track_opens": track_opens,
                "track_clicks": track_clicks,
                "reject_bad_recipients": reject_bad_recipients,
                "reject_mistyped_recipients": reject_mistyped_recipients,
                "message_metadata_retention": message_metadata_retention,
                "message_data_retention": message_data_retention,
                "owner_id": owner_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        object_ = cast(Literal["account"], d.pop("object"))
        if object_ != "account":
            raise ValueError(f"object must match const 'account', got '{object_}'")

        id = UUID(d.pop("id"))

        def _parse_parent_account_id(data: object) -> None | UUID:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                parent_account_id_type_0 = UUID(data)

                return parent_account_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | UUID, data)

        parent_account_id = _parse_parent_account_id(d.pop("parent_account_id"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        name = d.pop("name")

        website = d.pop("website")

        about = d.pop("about")

        track_opens = d.pop("track_opens")

        track_clicks = d.pop("track_clicks")

        reject_bad_recipients = d.pop("reject_bad_recipients")

        reject_mistyped_recipients = d.pop("reject_mistyped_recipients")

        message_metadata_retention = d.pop("message_metadata_retention")

        message_data_retention = d.pop("message_data_retention")

        owner_id = UUID(d.pop("owner_id"))

        account = cls(
            object_=object_,
            id=id,
            parent_account_id=parent_account_id,
            created_at=created_at,
            updated_at=updated_at,
            name=name,
            website=website,
            about=about,
            track_opens=track_opens,
            track_clicks=track_clicks,
            reject_bad_recipients=reject_bad_recipients,
            reject_mistyped_recipients=reject_mistyped_recipients,
            message_metadata_retention=message_metadata_retention,
            message_data_retention=message_data_retention,
            owner_id=owner_id,
        )

        account.additional_properties = d
        return account

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
