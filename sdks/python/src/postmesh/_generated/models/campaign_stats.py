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

T = TypeVar("T", bound="CampaignStats")


@_attrs_define
class CampaignStats:
    """The recipients of a campaign by state, each in one, and what they did. `opened` and `clicked` are recipients,
    `opens` and `clicks` are events; fetches of bots count nowhere.

        Attributes:
            object_ (Literal['campaign_stats']):
            campaign_id (UUID):
            recipients (int): All recipients, with any status.
            pending (int):
            queued (int):
            deferred (int):
            delivered (int):
            bounced (int):
            failed (int):
            suppressed (int):
            skipped (int):
            canceled (int):
            opened (int):
            opens (int):
            clicked (int):
            clicks (int):
            unsubscribed (int):
            complained (int):
            updated_at (datetime.datetime | None): null before sending.
            track_opens (bool): Whether the account tracks opens now.
            track_clicks (bool): Whether the account tracks clicks now.
    """

    object_: Literal["campaign_stats"]
    campaign_id: UUID
    recipients: int
    pending: int
    queued: int
    deferred: int
    delivered: int
    bounced: int
    failed: int
    suppressed: int
    skipped: int
    canceled: int
    opened: int
    opens: int
    clicked: int
    clicks: int
    unsubscribed: int
    complained: int
    updated_at: datetime.datetime | None
    track_opens: bool
    track_clicks: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        campaign_id = str(self.campaign_id)

        recipients = self.recipients

        pending = self.pending

        queued = self.queued

        deferred = self.deferred

        delivered = self.delivered

        bounced = self.bounced

        failed = self.failed

        suppressed = self.suppressed

        skipped = self.skipped

        canceled = self.canceled

        opened = self.opened

        opens = self.opens

        clicked = self.clicked

        clicks = self.clicks

        unsubscribed = self.unsubscribed

        complained = self.complained

        updated_at: None | str
        if isinstance(self.updated_at, datetime.datetime):
            updated_at = self.updated_at.isoformat()
        else:
            updated_at = self.updated_at

        track_opens = self.track_opens

        track_clicks = self.track_clicks

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "campaign_id": campaign_id,
                "recipients": recipients,
                "pending": pending,
                "queued": queued,
                "deferred": deferred,
                "delivered": delivered,
                "bounced": bounced,
                "failed": failed,
                "suppressed": suppressed,
                "skipped": skipped,
                "canceled": canceled,
                "opened": opened,
                "opens": opens,
                "clicked": clicked,
                "clicks": clicks,
                "unsubscribed": unsubscribed,
                "complained": complained,
                "updated_at": updated_at,
                "track_opens": track_opens,
                "track_clicks": track_clicks,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        object_ = cast(Literal["campaign_stats"], d.pop("object"))
        if object_ != "campaign_stats":
            raise ValueError(f"object must match const 'campaign_stats', got '{object_}'")

        campaign_id = UUID(d.pop("campaign_id"))

        recipients = d.pop("recipients")

        pending = d.pop("pending")

        queued = d.pop("queued")

        deferred = d.pop("deferred")

        delivered = d.pop("delivered")

        bounced = d.pop("bounced")

        failed = d.pop("failed")

        suppressed = d.pop("suppressed")

        skipped = d.pop("skipped")

        canceled = d.pop("canceled")

        opened = d.pop("opened")

        opens = d.pop("opens")

        clicked = d.pop("clicked")

        clicks = d.pop("clicks")

        unsubscribed = d.pop("unsubscribed")

        complained = d.pop("complained")

        def _parse_updated_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                updated_at_type_0 = datetime.datetime.fromisoformat(data)

                return updated_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        updated_at = _parse_updated_at(d.pop("updated_at"))

        track_opens = d.pop("track_opens")

        track_clicks = d.pop("track_clicks")

        campaign_stats = cls(
            object_=object_,
            campaign_id=campaign_id,
            recipients=recipients,
            pending=pending,
            queued=queued,
            deferred=deferred,
            delivered=delivered,
            bounced=bounced,
            failed=failed,
            suppressed=suppressed,
            skipped=skipped,
            canceled=canceled,
            opened=opened,
            opens=opens,
            clicked=clicked,
            clicks=clicks,
            unsubscribed=unsubscribed,
            complained=complained,
            updated_at=updated_at,
            track_opens=track_opens,
            track_clicks=track_clicks,
        )

        campaign_stats.additional_properties = d
        return campaign_stats

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
