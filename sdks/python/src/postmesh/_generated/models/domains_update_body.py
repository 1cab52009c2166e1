from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.domains_update_body_sending_type import (
    DomainsUpdateBodySendingType,
    check_domains_update_body_sending_type,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="DomainsUpdateBody")


@_attrs_define
class DomainsUpdateBody:
    """
    Attributes:
        dkim_private_key (None | str | Unset): PEM, RSA of 1024 bits and more. Never shown again. For partner accounts
            only.
        tracking_subdomain (None | str | Unset): One DNS label of 1-63 letters, digits and hyphens; empty: the default.
        return_path_subdomain (None | str | Unset): One DNS label of 1-63 letters, digits and hyphens; empty: the
            default.
        subscription_subdomain (None | str | Unset): One DNS label of 1-63 letters, digits and hyphens; empty: the
            default.
        media_subdomain (None | str | Unset): One DNS label of 1-63 letters, digits and hyphens; empty: the default.
        dkim_rotation_interval_days (int | None | Unset): For domains with managed DNS.
        dkim_selector (None | str | Unset): One DNS label of 1-62 letters, digits and hyphens. For partner accounts
            only.
        sending_type (DomainsUpdateBodySendingType | Unset):
        dsn_recipient (None | str | Unset): The address that gets delivery reports of the domain's mail; empty: the
            account's default.
    """

    dkim_private_key: None | str | Unset = UNSET
    tracking_subdomain: None | str | Unset = UNSET
    return_path_subdomain: None | str | Unset = UNSET
    subscription_subdomain: None | str | Unset = UNSET
    media_subdomain: None | str | Unset = UNSET
    dkim_rotation_interval_days: int | None | Unset = UNSET
    dkim_selector: None | str | Unset = UNSET
    sending_type: DomainsUpdateBodySendingType | Unset = UNSET
    dsn_recipient: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        dkim_private_key: None | str | Unset
        if isinstance(self.dkim_private_key, Unset):
            dkim_private_key = UNSET
        else:
            dkim_private_key = self.dkim_private_key

        tracking_subdomain: None | str | Unset
        if isinstance(self.tracking_subdomain, Unset):
            tracking_subdomain = UNSET
        else:
            tracking_subdomain = self.tracking_subdomain

        return_path_subdomain: None | str | Unset
        if isinstance(self.return_path_subdomain, Unset):
            return_path_subdomain = UNSET
        else:
            return_path_subdomain = self.return_path_subdomain

        subscription_subdomain: None | str | Unset
        if isinstance(self.subscription_subdomain, Unset):
            subscription_subdomain = UNSET
        else:
            subscription_subdomain = self.subscription_subdomain

        media_subdomain: None | str | Unset
        if isinstance(self.media_subdomain, Unset):
            media_subdomain = UNSET
        else:
            media_subdomain = self.media_subdomain

        dkim_rotation_interval_days: int | None | Unset
        if isinstance(self.dkim_rotation_interval_days, Unset):
            dkim_rotation_interval_days = UNSET
        else:
            dkim_rotation_interval_days = self.dkim_rotation_interval_days

        dkim_selector: None | str | Unset
        if isinstance(self.dkim_selector, Unset):
            dkim_selector = UNSET
        else:
            dkim_selector = self.dkim_selector

        sending_type: str | Unset = UNSET
        if not isinstance(self.sending_type, Unset):
            sending_type = self.sending_type

        dsn_recipient: None | str | Unset
        if isinstance(self.dsn_recipient, Unset):
            dsn_recipient = UNSET
        else:
            dsn_recipient = self.dsn_recipient

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if dkim_private_key is not UNSET:
            field_dict["dkim_private_key"] = dkim_private_key
        if tracking_subdomain is not UNSET:
            field_dict["tracking_subdomain"] = tracking_subdomain
        if return_path_subdomain is not UNSET:
            field_dict["return_path_subdomain"] = return_path_subdomain
        if subscription_subdomain is not UNSET:
            field_dict["subscription_subdomain"] = subscription_subdomain
        if media_subdomain is not UNSET:
            field_dict["media_subdomain"] = media_subdomain
        if dkim_rotation_interval_days is not UNSET:
            field_dict["dkim_rotation_interval_days"] = dkim_rotation_interval_days
        if dkim_selector is not UNSET:
            field_dict["dkim_selector"] = dkim_selector
        if sending_type is not UNSET:
            field_dict["sending_type"] = sending_type
        if dsn_recipient is not UNSET:
            field_dict["dsn_recipient"] = dsn_recipient

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)

        def _parse_dkim_private_key(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        dkim_private_key = _parse_dkim_private_key(d.pop("dkim_private_key", UNSET))

        def _parse_tracking_subdomain(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        tracking_subdomain = _parse_tracking_subdomain(d.pop("tracking_subdomain", UNSET))

        def _parse_return_path_subdomain(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        return_path_subdomain = _parse_return_path_subdomain(d.pop("return_path_subdomain", UNSET))

        def _parse_subscription_subdomain(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        subscription_subdomain = _parse_subscription_subdomain(d.pop("subscription_subdomain", UNSET))

        def _parse_media_subdomain(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        media_subdomain = _parse_media_subdomain(d.pop("media_subdomain", UNSET))

        def _parse_dkim_rotation_interval_days(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        dkim_rotation_interval_days = _parse_dkim_rotation_interval_days(d.pop("dkim_rotation_interval_days", UNSET))

        def _parse_dkim_selector(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        dkim_selector = _parse_dkim_selector(d.pop("dkim_selector", UNSET))

        _sending_type = d.pop("sending_type", UNSET)
        sending_type: DomainsUpdateBodySendingType | Unset
        if isinstance(_sending_type, Unset):
            sending_type = UNSET
        else:
            sending_type = check_domains_update_body_sending_type(_sending_type)

        def _parse_dsn_recipient(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        dsn_recipient = _parse_dsn_recipient(d.pop("dsn_recipient", UNSET))

        domains_update_body = cls(
            dkim_private_key=dkim_private_key,
            tracking_subdomain=tracking_subdomain,
            return_path_subdomain=return_path_subdomain,
            subscription_subdomain=subscription_subdomain,
            media_subdomain=media_subdomain,
            dkim_rotation_interval_days=dkim_rotation_interval_days,
            dkim_selector=dkim_selector,
            sending_type=sending_type,
            dsn_recipient=dsn_recipient,
        )

        return domains_update_body
