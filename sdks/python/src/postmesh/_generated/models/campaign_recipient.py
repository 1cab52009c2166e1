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

T = TypeVar("T", bound="CampaignRecipient")


@_attrs_define
class CampaignRecipient:
    """A recipient of a campaign.

    Attributes:
        object_ (Literal['campaign_recipient']):
        campaign_id (UUID):
        contact_id (UUID):
        email (str): The address of the message.
        list_ids (list[UUID]): Those lists of the campaign that had the contact.
        status (str):
        status_reason (None | str): Reason of skipped, bounced or failed. An open set: releases may add values.
        message_id (None | str):
        sent_at (datetime.datetime | None): When it was first handed over.
        delivered_at (datetime.datetime | None): When it was first delivered.
        opened_at (datetime.datetime | None): When it was first opened.
        clicked_at (datetime.datetime | None): When it was first clicked.
        unsubscribed_at (datetime.datetime | None): When it was first used to unsubscribe.
        complained_at (datetime.datetime | None): When it was first reported as spam.
        open_count (int):
        click_count (int):
    """

    object_: Literal["campaign_recipient"]
    campaign_id: UUID
    contact_id: UUID
    email: str
    list_ids: list[UUID]
    status: str
    status_reason: None | str
    message_id: None | str
    sent_at: datetime.datetime | None
    delivered_at: datetime.datetime | None
    opened_at: datetime.datetime | None
    clicked_at: datetime.datetime | None
    unsubscribed_at: datetime.datetime | None
    complained_at: datetime.datetime | None
    open_count: int
    click_count: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        campaign_id = str(self.campaign_id)

        contact_id = str(self.contact_id)

        email = self.email

        list_ids = []
        for list_ids_item_data in self.list_ids:
            list_ids_item = str(list_ids_item_data)
            list_ids.append(list_ids_item)

        status = self.status

        status_reason: None | str
        status_reason = self.status_reason

        message_id: None | str
        message_id = self.message_id

        sent_at: None | str
        if isinstance(self.sent_at, datetime.datetime):
            sent_at = self.sent_at.isoformat()
        else:
            sent_at = self.sent_at

        delivered_at: None | str
        if isinstance(self.delivered_at, datetime.datetime):
            delivered_at = self.delivered_at.isoformat()
        else:
            delivered_at = self.delivered_at

        opened_at: None | str
        if isinstance(self.opened_at, datetime.datetime):
            opened_at = self.opened_at.isoformat()
        else:
            opened_at = self.opened_at

        clicked_at: None | str
        if isinstance(self.clicked_at, datetime.datetime):
            clicked_at = self.clicked_at.isoformat()
        else:
            clicked_at = self.clicked_at

        unsubscribed_at: None | str
        if isinstance(self.unsubscribed_at, datetime.datetime):
            unsubscribed_at = self.unsubscribed_at.isoformat()
        else:
            unsubscribed_at = self.unsubscribed_at

        complained_at: None | str
        if isinstance(self.complained_at, datetime.datetime):
            complained_at = self.complained_at.isoformat()
        else:
            complained_at = self.complained_at

        open_count = self.open_count

        click_count = self.click_count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "campaign_id": campaign_id,
                "contact_id": contact_id,
                "email": email,
                "list_ids": list_ids,
                "status": status,
                "status_reason": status_reason,
                "message_id": message_id,
                "sent_at": sent_at,
                "delivered_at": delivered_at,
                "opened_at": opened_at,
                "clicked_at": clicked_at,
                "unsubscribed_at": unsubscribed_at,
                "complained_at": complained_at,
                "open_count": open_count,
                "click_count": click_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        object_ = cast(Literal["campaign_recipient"], d.pop("object"))
        if object_ != "campaign_recipient":
            raise ValueError(f"object must match const 'campaign_recipient', got '{object_}'")

        campaign_id = UUID(d.pop("campaign_id"))

        contact_id = UUID(d.pop("contact_id"))

        email = d.pop("email")

        list_ids = []
        _list_ids = d.pop("list_ids")
        for list_ids_item_data in _list_ids:
            list_ids_item = UUID(list_ids_item_data)

            list_ids.append(list_ids_item)

        status = d.pop("status")

        def _parse_status_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        status_reason = _parse_status_reason(d.pop("status_reason"))

        def _parse_message_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        message_id = _parse_message_id(d.pop("message_id"))

        def _parse_sent_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                sent_at_type_0 = datetime.datetime.fromisoformat(data)

                return sent_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        sent_at = _parse_sent_at(d.pop("sent_at"))

        def _parse_delivered_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                delivered_at_type_0 = datetime.datetime.fromisoformat(data)

                return delivered_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        delivered_at = _parse_delivered_at(d.pop("delivered_at"))

        def _parse_opened_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                opened_at_type_0 = datetime.datetime.fromisoformat(data)

                return opened_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        opened_at = _parse_opened_at(d.pop("opened_at"))

        def _parse_clicked_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                clicked_at_type_0 = datetime.datetime.fromisoformat(data)

                return clicked_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        clicked_at = _parse_clicked_at(d.pop("clicked_at"))

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

        def _parse_complained_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                complained_at_type_0 = datetime.datetime.fromisoformat(data)

                return complained_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        complained_at = _parse_complained_at(d.pop("complained_at"))

        open_count = d.pop("open_count")

        click_count = d.pop("click_count")

        campaign_recipient = cls(
            object_=object_,
            campaign_id=campaign_id,
            contact_id=contact_id,
            email=email,
            list_ids=list_ids,
            status=status,
            status_reason=status_reason,
            message_id=message_id,
            sent_at=sent_at,
            delivered_at=delivered_at,
            opened_at=opened_at,
            clicked_at=clicked_at,
            unsubscribed_at=unsubscribed_at,
            complained_at=complained_at,
            open_count=open_count,
            click_count=click_count,
        )

        campaign_recipient.additional_properties = d
        return campaign_recipient

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
