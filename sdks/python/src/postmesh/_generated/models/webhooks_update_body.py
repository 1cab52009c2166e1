from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.webhooks_update_body_scope_type_1 import (
    WebhooksUpdateBodyScopeType1,
    check_webhooks_update_body_scope_type_1,
)
from ..models.webhooks_update_body_scope_type_2_type_1 import (
    WebhooksUpdateBodyScopeType2Type1,
    check_webhooks_update_body_scope_type_2_type_1,
)
from ..models.webhooks_update_body_scope_type_3_type_1 import (
    WebhooksUpdateBodyScopeType3Type1,
    check_webhooks_update_body_scope_type_3_type_1,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="WebhooksUpdateBody")


@_attrs_define
class WebhooksUpdateBody:
    """
    Attributes:
        name (None | str | Unset):
        url (None | str | Unset): Absolute, http or https, at a public address.
        scope (None | Unset | WebhooksUpdateBodyScopeType1 | WebhooksUpdateBodyScopeType2Type1 |
            WebhooksUpdateBodyScopeType3Type1): `global`: events of all domains; `scoped`: of the listed ones.
        domains (list[str] | None | Unset): Domains of the account. Needed when `scoped`, ignored when `global`.
        enabled (bool | None | Unset):
        on_reception (bool | None | Unset):
        on_delivered (bool | None | Unset):
        on_transient_error (bool | None | Unset):
        on_failed (bool | None | Unset):
        on_bounced (bool | None | Unset):
        on_suppressed (bool | None | Unset):
        on_opened (bool | None | Unset):
        on_clicked (bool | None | Unset):
        on_suppression_created (bool | None | Unset):
        on_dns_error (bool | None | Unset):
    """

    name: None | str | Unset = UNSET
    url: None | str | Unset = UNSET
    scope: (
        None | Unset | WebhooksUpdateBodyScopeType1 | WebhooksUpdateBodyScopeType2Type1 | WebhooksUpdateBodyScopeType3Type1
    ) = UNSET
    domains: list[str] | None | Unset = UNSET
    enabled: bool | None | Unset = UNSET
    on_reception: bool | None | Unset = UNSET
    on_delivered: bool | None | Unset = UNSET
    on_transient_error: bool | None | Unset = UNSET
    on_failed: bool | None | Unset = UNSET
    on_bounced: bool | None | Unset = UNSET
    on_suppressed: bool | None | Unset = UNSET
    on_opened: bool | None | Unset = UNSET
    on_clicked: bool | None | Unset = UNSET
    on_suppression_created: bool | None | Unset = UNSET
    on_dns_error: bool | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        url: None | str | Unset
        if isinstance(self.url, Unset):
            url = UNSET
        else:
            url = self.url

        scope: None | str | Unset
        if isinstance(self.scope, Unset):
            scope = UNSET
        elif isinstance(self.scope, str) or isinstance(self.scope, str) or isinstance(self.scope, str):
            scope = self.scope
        else:
            scope = self.scope

        domains: list[str] | None | Unset
        if isinstance(self.domains, Unset):
            domains = UNSET
        elif isinstance(self.domains, list):
            domains = self.domains

        else:
            domains = self.domains

        enabled: bool | None | Unset
        if isinstance(self.enabled, Unset):
            enabled = UNSET
        else:
            enabled = self.enabled

        on_reception: bool | None | Unset
        if isinstance(self.on_reception, Unset):
            on_reception = UNSET
        else:
            on_reception = self.on_reception

        on_delivered: bool | None | Unset
        if isinstance(self.on_delivered, Unset):
            on_delivered = UNSET
        else:
            on_delivered = self.on_delivered

        on_transient_error: bool | None | Unset
        if isinstance(self.on_transient_error, Unset):
            on_transient_error = UNSET
        else:
            on_transient_error = self.on_transient_error

        on_failed: bool | None | Unset
        if isinstance(self.on_failed, Unset):
            on_failed = UNSET
        else:
            on_failed = self.on_failed

        on_bounced: bool | None | Unset
        if isinstance(self.on_bounced, Unset):
            on_bounced = UNSET
        else:
            on_bounced = self.on_bounced

        on_suppressed: bool | None | Unset
        if isinstance(self.on_suppressed, Unset):
            on_suppressed = UNSET
        else:
            on_suppressed = self.on_suppressed

        on_opened: bool | None | Unset
        if isinstance(self.on_opened, Unset):
            on_opened = UNSET
        else:
            on_opened = self.on_opened

        on_clicked: bool | None | Unset
        if isinstance(self.on_clicked, Unset):
            on_clicked = UNSET
        else:
            on_clicked = self.on_clicked

        on_suppression_created: bool | None | Unset
        if isinstance(self.on_suppression_created, Unset):
            on_suppression_created = UNSET
        else:
            on_suppression_created = self.on_suppression_created

        on_dns_error: bool | None | Unset
        if isinstance(self.on_dns_error, Unset):
            on_dns_error = UNSET
        else:
            on_dns_error = self.on_dns_error

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if name is not UNSET:
            field_dict["name"] = name
        if url is not UNSET:
            field_dict["url"] = url
        if scope is not UNSET:
            field_dict["scope"] = scope
        if domains is not UNSET:
            field_dict["domains"] = domains
        if enabled is not UNSET:
            field_dict["enabled"] = enabled
        if on_reception is not UNSET:
            field_dict["on_reception"] = on_reception
        if on_delivered is not UNSET:
            field_dict["on_delivered"] = on_delivered
        if on_transient_error is not UNSET:
            field_dict["on_transient_error"] = on_transient_error
        if on_failed is not UNSET:
            field_dict["on_failed"] = on_failed
        if on_bounced is not UNSET:
            field_dict["on_bounced"] = on_bounced
        if on_suppressed is not UNSET:
            field_dict["on_suppressed"] = on_suppressed
        if on_opened is not UNSET:
            field_dict["on_opened"] = on_opened
        if on_clicked is not UNSET:
            field_dict["on_clicked"] = on_clicked
        if on_suppression_created is not UNSET:
            field_dict["on_suppression_created"] = on_suppression_created
        if on_dns_error is not UNSET:
            field_dict["on_dns_error"] = on_dns_error

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)

        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))

        def _parse_url(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        url = _parse_url(d.pop("url", UNSET))

        def _parse_scope(
            data: object,
        ) -> (
            None | Unset | WebhooksUpdateBodyScopeType1 | WebhooksUpdateBodyScopeType2Type1 | WebhooksUpdateBodyScopeType3Type1
        ):
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                scope_type_1 = check_webhooks_update_body_scope_type_1(data)

                return scope_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                scope_type_2_type_1 = check_webhooks_update_body_scope_type_2_type_1(data)

                return scope_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                scope_type_3_type_1 = check_webhooks_update_body_scope_type_3_type_1(data)

                return scope_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(
                None
                | Unset
                | WebhooksUpdateBodyScopeType1
                | WebhooksUpdateBodyScopeType2Type1
                | WebhooksUpdateBodyScopeType3Type1,
                data,
            )

        scope = _parse_scope(d.pop("scope", UNSET))

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

        def _parse_enabled(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        enabled = _parse_enabled(d.pop("enabled", UNSET))

        def _parse_on_reception(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        on_reception = _parse_on_reception(d.pop("on_reception", UNSET))

        def _parse_on_delivered(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        on_delivered = _parse_on_delivered(d.pop("on_delivered", UNSET))

        def _parse_on_transient_error(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        on_transient_error = _parse_on_transient_error(d.pop("on_transient_error", UNSET))

        def _parse_on_failed(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        on_failed = _parse_on_failed(d.pop("on_failed", UNSET))

        def _parse_on_bounced(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        on_bounced = _parse_on_bounced(d.pop("on_bounced", UNSET))

        def _parse_on_suppressed(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        on_suppressed = _parse_on_suppressed(d.pop("on_suppressed", UNSET))

        def _parse_on_opened(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        on_opened = _parse_on_opened(d.pop("on_opened", UNSET))

        def _parse_on_clicked(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        on_clicked = _parse_on_clicked(d.pop("on_clicked", UNSET))

        def _parse_on_suppression_created(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        on_suppression_created = _parse_on_suppression_created(d.pop("on_suppression_created", UNSET))

        def _parse_on_dns_error(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        on_dns_error = _parse_on_dns_error(d.pop("on_dns_error", UNSET))

        webhooks_update_body = cls(
            name=name,
            url=url,
            scope=scope,
            domains=domains,
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
        )

        return webhooks_update_body
