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
    from ..models.dns_record import DnsRecord


T = TypeVar("T", bound="Domain")


@_attrs_define
class Domain:
    """A sending domain.

    Attributes:
        object_ (Literal['domain']):
        id (UUID):
        account_id (UUID):
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        domain (str):
        dns_records (list[DnsRecord]):
        last_dns_check_at (datetime.datetime | None):
        dns_valid (bool): All required records were right when last looked at conclusively.
        tracking_subdomain (None | str): The domain's own label; null: the default is in use.
        return_path_subdomain (None | str): The domain's own label; null: the default is in use.
        subscription_subdomain (None | str): The domain's own label; null: the default is in use.
        media_subdomain (None | str): The domain's own label; null: the default is in use.
        dkim_rotation_interval_days (int | None): null: the account's default. Managed DNS only.
        dkim_selector (None | str): The domain's own selector as it was asked for; not always the one that signs.
        rotation_ready (bool): The standby DKIM record was seen in DNS.
        dsn_recipient (None | str): The address that gets delivery reports; null: the account's default.
        sending_type (str):
        paused (bool):
        paused_at (datetime.datetime | None):
        pause_reason (None | str):
    """

    object_: Literal["domain"]
    id: UUID
    account_id: UUID
    created_at: datetime.datetime
    updated_at: datetime.datetime
    domain: str
    dns_records: list[DnsRecord]
    last_dns_check_at: datetime.datetime | None
    dns_valid: bool
    tracking_subdomain: None | str
    return_path_subdomain: None | str
    subscription_subdomain: None | str
    media_subdomain: None | str
    dkim_rotation_interval_days: int | None
    dkim_selector: None | str
    rotation_ready: bool
    dsn_recipient: None | str
    sending_type: str
    paused: bool
    paused_at: datetime.datetime | None
    pause_reason: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id = str(self.id)

        account_id = str(self.account_id)

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        domain = self.domain

        dns_records = []
        for dns_records_item_data in self.dns_records:
            dns_records_item = dns_records_item_data.to_dict()
            dns_records.append(dns_records_item)

        last_dns_check_at: None | str
        if isinstance(self.last_dns_check_at, datetime.datetime):
            last_dns_check_at = self.last_dns_check_at.isoformat()
        else:
            last_dns_check_at = self.last_dns_check_at

        dns_valid = self.dns_valid

        tracking_subdomain: None | str
        tracking_subdomain = self.tracking_subdomain

        return_path_subdomain: None | str
        return_path_subdomain = self.return_path_subdomain

        subscription_subdomain: None | str
        subscription_subdomain = self.subscription_subdomain

        media_subdomain: None | str
        media_subdomain = self.media_subdomain

        dkim_rotation_interval_days: int | None
        dkim_rotation_interval_days = self.dkim_rotation_interval_days

        dkim_selector: None | str
        dkim_selector = self.dkim_selector

        rotation_ready = self.rotation_ready

        dsn_recipient: None | str
        dsn_recipient = self.dsn_recipient

        sending_type = self.sending_type

        paused = self.paused

        paused_at: None | str
        if isinstance(self.paused_at, datetime.datetime):
            paused_at = self.paused_at.isoformat()
        else:
            paused_at = self.paused_at

        pause_reason: None | str
        pause_reason = self.pause_reason

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "id": id,
                "account_id": account_id,
                "created_at": created_at,
                "updated_at": updated_at,
                "domain": domain,
                "dns_records": dns_records,
                "last_dns_check_at": last_dns_check_at,
                "dns_valid": dns_valid,
                "tracking_subdomain": tracking_subdomain,
                "return_path_subdomain": return_path_subdomain,
                "subscription_subdomain": subscription_subdomain,
                "media_subdomain": media_subdomain,
                "dkim_rotation_interval_days": dkim_rotation_interval_days,
                "dkim_selector": dkim_selector,
                "rotation_ready": rotation_ready,
                "dsn_recipient": dsn_recipient,
                "sending_type": sending_type,
                "paused": paused,
                "paused_at": paused_at,
                "pause_reason": pause_reason,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.dns_record import DnsRecord

        d = dict(src_dict)
        object_ = cast(Literal["domain"], d.pop("object"))
        if object_ != "domain":
            raise ValueError(f"object must match const 'domain', got '{object_}'")

        id = UUID(d.pop("id"))

        account_id = UUID(d.pop("account_id"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        domain = d.pop("domain")

        dns_records = []
        _dns_records = d.pop("dns_records")
        for dns_records_item_data in _dns_records:
            dns_records_item = DnsRecord.from_dict(dns_records_item_data)

            dns_records.append(dns_records_item)

        def _parse_last_dns_check_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_dns_check_at_type_0 = datetime.datetime.fromisoformat(data)

                return last_dns_check_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        last_dns_check_at = _parse_last_dns_check_at(d.pop("last_dns_check_at"))

        dns_valid = d.pop("dns_valid")

        def _parse_tracking_subdomain(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        tracking_subdomain = _parse_tracking_subdomain(d.pop("tracking_subdomain"))

        def _parse_return_path_subdomain(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        return_path_subdomain = _parse_return_path_subdomain(d.pop("return_path_subdomain"))

        def _parse_subscription_subdomain(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        subscription_subdomain = _parse_subscription_subdomain(d.pop("subscription_subdomain"))

        def _parse_media_subdomain(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        media_subdomain = _parse_media_subdomain(d.pop("media_subdomain"))

        def _parse_dkim_rotation_interval_days(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        dkim_rotation_interval_days = _parse_dkim_rotation_interval_days(d.pop("dkim_rotation_interval_days"))

        def _parse_dkim_selector(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        dkim_selector = _parse_dkim_selector(d.pop("dkim_selector"))

        rotation_ready = d.pop("rotation_ready")

        def _parse_dsn_recipient(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        dsn_recipient = _parse_dsn_recipient(d.pop("dsn_recipient"))

        sending_type = d.pop("sending_type")

        paused = d.pop("paused")

        def _parse_paused_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                paused_at_type_0 = datetime.datetime.fromisoformat(data)

                return paused_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        paused_at = _parse_paused_at(d.pop("paused_at"))

        def _parse_pause_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        pause_reason = _parse_pause_reason(d.pop("pause_reason"))

        domain = cls(
            object_=object_,
            id=id,
            account_id=account_id,
            created_at=created_at,
            updated_at=updated_at,
            domain=domain,
            dns_records=dns_records,
            last_dns_check_at=last_dns_check_at,
            dns_valid=dns_valid,
            tracking_subdomain=tracking_subdomain,
            return_path_subdomain=return_path_subdomain,
            subscription_subdomain=subscription_subdomain,
            media_subdomain=media_subdomain,
            dkim_rotation_interval_days=dkim_rotation_interval_days,
            dkim_selector=dkim_selector,
            rotation_ready=rotation_ready,
            dsn_recipient=dsn_recipient,
            sending_type=sending_type,
            paused=paused,
            paused_at=paused_at,
            pause_reason=pause_reason,
        )

        domain.additional_properties = d
        return domain

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
