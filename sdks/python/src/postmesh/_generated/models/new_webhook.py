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

T = TypeVar("T", bound="NewWebhook")


@_attrs_define
class NewWebhook:
    """A subscription to events, with its signing secret.

    Attributes:
        object_ (Literal['webhook']):
        id (UUID):
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        name (str):
        url (str):
        enabled (bool):
        on_reception (bool):
        on_delivered (bool):
        on_transient_error (bool):
        on_failed (bool):
        on_bounced (bool):
        on_suppressed (bool):
        on_opened (bool):
        on_clicked (bool):
        on_suppression_created (bool):
        on_dns_error (bool):
        scope (str):
        domains (list[str]): Empty for a global webhook.
        success_count (int):
        error_count (int):
        errors_since_last_success (int):
        last_request_at (datetime.datetime | None):
        secret (str): Signs every call. Shown only in this response.
    """

    object_: Literal["webhook"]
    id: UUID
    created_at: datetime.datetime
    updated_at: datetime.datetime
    name: str
    url: str
    enabled: bool
    on_reception: bool
    on_delivered: bool
    on_transient_error: bool
    on_failed: bool
    on_bounced: bool
    on_suppressed: bool
    on_opened: bool
    on_clicked: bool
    on_suppression_created: bool
    on_dns_error: bool
    scope: str
    domains: list[str]
    success_count: int
    error_count: int
    errors_since_last_success: int
    last_request_at: datetime.datetime | None
    secret: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id = str(self.id)

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        name = self.name

        url = self.url

        enabled = self.enabled

        on_reception = self.on_reception

        on_delivered = self.on_delivered

        on_transient_error = self.on_transient_error

        on_failed = self.on_failed

        on_bounced = self.on_bounced

        on_suppressed = self.on_suppressed

        on_opened = self.on_opened

        on_clicked = self.on_clicked

        on_suppression_created = self.on_suppression_created

        on_dns_error = self.on_dns_error

        scope = self.scope

        domains = self.domains

        success_count = self.success_count

        error_count = self.error_count

        errors_since_last_success = self.errors_since_last_success

        last_request_at: None | str
        if isinstance(self.last_request_at, datetime.datetime):
            last_request_at = self.last_request_at.isoformat()
        else:
            last_request_at = self.last_request_at

        secret = self.secret

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
                "enabled": enabled,
                "on_reception": on_reception,
                "on_delivered": on_delivered,
                "on_transient_error": on_transient_error,
                "on_failed": on_failed,
                "on_bounced": on_bounced,
                "on_suppressed": on_suppressed,
                "on_opened": on_opened,
                "on_clicked": on_clicked,
                "on_suppression_created": on_suppression_created,
                "on_dns_error": on_dns_error,
                "scope": scope,
                "domains": domains,
                "success_count": success_count,
                "error_count": error_count,
                "errors_since_last_success": errors_since_last_success,
                "last_request_at": last_request_at,
                "secret": secret,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        object_ = cast(Literal["webhook"], d.pop("object"))
        if object_ != "webhook":
            raise ValueError(f"object must match const 'webhook', got '{object_}'")

        id = UUID(d.pop("id"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        name = d.pop("name")

        url = d.pop("url")

        enabled = d.pop("enabled")

        on_reception = d.pop("on_reception")

        on_delivered = d.pop("on_delivered")

        on_transient_error = d.pop("on_transient_error")

        on_failed = d.pop("on_failed")

        on_bounced = d.pop("on_bounced")

        on_suppressed = d.pop("on_suppressed")

        on_opened = d.pop("on_opened")

        on_clicked = d.pop("on_clicked")

        on_suppression_created = d.pop("on_suppression_created")

        on_dns_error = d.pop("on_dns_error")

        scope = d.pop("scope")

        domains = cast(list[str], d.pop("domains"))

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

        secret = d.pop("secret")

        new_webhook = cls(
            object_=object_,
            id=id,
            created_at=created_at,
            updated_at=updated_at,
            name=name,
            url=url,
            enabled=enabled,
            on_reception=on_reception,
            on_delivered=on_delivered,
            on_transient_error=on_transient_error,
            on_failed=on_failed,
            on_bounced=on_bounced,
            on_suppressed=on_suppressed,
            on_opened=on_opened,
            on_clicked=on_clicked,
            on_suppression_created=on_suppression_created,
            on_dns_error=on_dns_error,
            scope=scope,
            domains=domains,
            success_count=success_count,
            error_count=error_count,
            errors_since_last_success=errors_since_last_success,
            last_request_at=last_request_at,
            secret=secret,
        )

        new_webhook.additional_properties = d
        return new_webhook

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
