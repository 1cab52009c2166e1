from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="AccountUpdateBody")


@_attrs_define
class AccountUpdateBody:
    """
    Attributes:
        name (None | str | Unset):
        website (None | str | Unset): A domain, or an http(s) URL, of which the host is kept.
        about (None | str | Unset):
        track_opens (bool | None | Unset):
        track_clicks (bool | None | Unset):
        reject_bad_recipients (bool | None | Unset):
        reject_mistyped_recipients (bool | None | Unset):
        message_metadata_retention (int | None | Unset):
        message_data_retention (int | None | Unset):
    """

    name: None | str | Unset = UNSET
    website: None | str | Unset = UNSET
    about: None | str | Unset = UNSET
    track_opens: bool | None | Unset = UNSET
    track_clicks: bool | None | Unset = UNSET
    reject_bad_recipients: bool | None | Unset = UNSET
    reject_mistyped_recipients: bool | None | Unset = UNSET
    message_metadata_retention: int | None | Unset = UNSET
    message_data_retention: int | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        website: None | str | Unset
        if isinstance(self.website, Unset):
            website = UNSET
        else:
            website = self.website

        about: None | str | Unset
        if isinstance(self.about, Unset):
            about = UNSET
        else:
            about = self.about

        track_opens: bool | None | Unset
        if isinstance(self.track_opens, Unset):
            track_opens = UNSET
        else:
            track_opens = self.track_opens

        track_clicks: bool | None | Unset
        if isinstance(self.track_clicks, Unset):
            track_clicks = UNSET
        else:
            track_clicks = self.track_clicks

        reject_bad_recipients: bool | None | Unset
        if isinstance(self.reject_bad_recipients, Unset):
            reject_bad_recipients = UNSET
        else:
            reject_bad_recipients = self.reject_bad_recipients

        reject_mistyped_recipients: bool | None | Unset
        if isinstance(self.reject_mistyped_recipients, Unset):
            reject_mistyped_recipients = UNSET
        else:
            reject_mistyped_recipients = self.reject_mistyped_recipients

        message_metadata_retention: int | None | Unset
        if isinstance(self.message_metadata_retention, Unset):
            message_metadata_retention = UNSET
        else:
            message_metadata_retention = self.message_metadata_retention

        message_data_retention: int | None | Unset
        if isinstance(self.message_data_retention, Unset):
            message_data_retention = UNSET
        else:
            message_data_retention = self.message_data_retention

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if name is not UNSET:
            field_dict["name"] = name
        if website is not UNSET:
            field_dict["website"] = website
        if about is not UNSET:
            field_dict["about"] = about
        if track_opens is not UNSET:
            field_dict["track_opens"] = track_opens
        if track_clicks is not UNSET:
            field_dict["track_clicks"] = track_clicks
        if reject_bad_recipients is not UNSET:
            field_dict["reject_bad_recipients"] = reject_bad_recipients
        if reject_mistyped_recipients is not UNSET:
            field_dict["reject_mistyped_recipients"] = reject_mistyped_recipients
        if message_metadata_retention is not UNSET:
            field_dict["message_metadata_retention"] = message_metadata_retention
        if message_data_retention is not UNSET:
            field_dict["message_data_retention"] = message_data_retention

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

        def _parse_website(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        website = _parse_website(d.pop("website", UNSET))

        def _parse_about(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        about = _parse_about(d.pop("about", UNSET))

        def _parse_track_opens(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        track_opens = _parse_track_opens(d.pop("track_opens", UNSET))

        def _parse_track_clicks(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        track_clicks = _parse_track_clicks(d.pop("track_clicks", UNSET))

        def _parse_reject_bad_recipients(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        reject_bad_recipients = _parse_reject_bad_recipients(d.pop("reject_bad_recipients", UNSET))

        def _parse_reject_mistyped_recipients(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        reject_mistyped_recipients = _parse_reject_mistyped_recipients(d.pop("reject_mistyped_recipients", UNSET))

        def _parse_message_metadata_retention(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        message_metadata_retention = _parse_message_metadata_retention(d.pop("message_metadata_retention", UNSET))

        def _parse_message_data_retention(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        message_data_retention = _parse_message_data_retention(d.pop("message_data_retention", UNSET))

        account_update_body = cls(
            name=name,
            website=website,
            about=about,
            track_opens=track_opens,
            track_clicks=track_clicks,
            reject_bad_recipients=reject_bad_recipients,
            reject_mistyped_recipients=reject_mistyped_recipients,
            message_metadata_retention=message_metadata_retention,
            message_data_retention=message_data_retention,
        )

        return account_update_body
