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

T = TypeVar("T", bound="Route")


@_attrs_define
class Route:
    """A URL to which inbound mail for some addresses is posted.

    Attributes:
        object_ (Literal['route']):
        id (UUID):
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        name (str):
        url (str):
        recipient (str): Empty: every address of the account.
        attachments (bool):
        headers (bool):
        group_by_message_id (bool):
        strip_replies (bool):
        enabled (bool):
        success_count (int):
        error_count (int):
        errors_since_last_success (int):
        last_request_at (datetime.datetime | None):
    """

    object_: Literal["route"]
    id: UUID
    created_at: datetime.datetime
    updated_at: datetime.datetime
    name: str
    url: str
    recipient: str
    attachments: bool
    headers: bool
    group_by_message_id: bool
    strip_replies: bool
    enabled: bool
    success_count: int
    error_count: int
    errors_since_last_success: int
    last_request_at: datetime.datetime | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id = str(self.id)

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        name = self.name

        url = self.url

        recipient = self.recipient

        attachments = self.attachments

        headers = self.headers

        group_by_message_id = self.group_by_message_id

        strip_replies = self.strip_replies

        enabled = self.enabled

        success_count = self.success_count

        error_count = self.error_count

        errors_since_last_success = self.errors_since_last_success

        last_request_at: None | str
        if isinstance(self.last_request_at, datetime.datetime):
            last_request_at = self.last_request_at.isoformat()
        else:
            last_request_at = self.last_request_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "id": id,
                "created_at": created_at,
                "updated_at": updated_at,
                "name": name,
                "url": url,
                "recipient": recipient,
                "attachments": attachments,
                "headers": headers,
                "group_by_message_id": group_by_message_id,
                "strip_replies": strip_replies,
                "enabled": enabled,
                "success_count": success_count,
                "error_count": error_count,
                "errors_since_last_success": errors_since_last_success,
                "last_request_at": last_request_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        object_ = cast(Literal["route"], d.pop("object"))
        if object_ != "route":
            raise ValueError(f"object must match const 'route', got '{object_}'")

        id = UUID(d.pop("id"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        name = d.pop("name")

        url = d.pop("url")

        recipient = d.pop("recipient")

        attachments = d.pop("attachments")

        headers = d.pop("headers")

        group_by_message_id = d.pop("group_by_message_id")

        strip_replies = d.pop("strip_replies")

        enabled = d.pop("enabled")

        success_count = d.pop("success_count")

        error_count = d.pop("error_count")

        errors_since_last_success = d.pop("errors_since_last_success")

        def _parse_last_request_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_request_at_type_0 = datetime.datetime.fromisoformat(data)

                return last_request_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        last_request_at = _parse_last_request_at(d.pop("last_request_at"))

        route = cls(
            object_=object_,
            id=id,
            created_at=created_at,
            updated_at=updated_at,
            name=name,
            url=url,
            recipient=recipient,
            attachments=attachments,
            headers=headers,
            group_by_message_id=group_by_message_id,
            strip_replies=strip_replies,
            enabled=enabled,
            success_count=success_count,
            error_count=error_count,
            errors_since_last_success=errors_since_last_success,
            last_request_at=last_request_at,
        )

        route.additional_properties = d
        return route

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
