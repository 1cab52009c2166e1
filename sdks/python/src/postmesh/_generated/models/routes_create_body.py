from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="RoutesCreateBody")


@_attrs_define
class RoutesCreateBody:
    """
    Attributes:
        name (str):
        url (str): Absolute, http or https, at a public address.
        recipient (str): `<local pattern>@<domain>` with one domain of the account; `*` in the local part matches any
            run of characters. Empty: every address of the account.
        attachments (bool | None | Unset): Sends attachments along.
        headers (bool | None | Unset): Includes the header fields.
        group_by_message_id (bool | None | Unset): One call per message instead of one per matching recipient.
        strip_replies (bool | None | Unset): Adds the new text of a reply without its quotes.
        enabled (bool | None | Unset):
    """

    name: str
    url: str
    recipient: str
    attachments: bool | None | Unset = UNSET
    headers: bool | None | Unset = UNSET
    group_by_message_id: bool | None | Unset = UNSET
    strip_replies: bool | None | Unset = UNSET
    enabled: bool | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        url = self.url

        recipient = self.recipient

        attachments: bool | None | Unset
        if isinstance(self.attachments, Unset):
            attachments = UNSET
        else:
            attachments = self.attachments

        headers: bool | None | Unset
        if isinstance(self.headers, Unset):
            headers = UNSET
        else:
            headers = self.headers

        group_by_message_id: bool | None | Unset
        if isinstance(self.group_by_message_id, Unset):
            group_by_message_id = UNSET
        else:
            group_by_message_id = self.group_by_message_id

        strip_replies: bool | None | Unset
        if isinstance(self.strip_replies, Unset):
            strip_replies = UNSET
        else:
            strip_replies = self.strip_replies

        enabled: bool | None | Unset
        if isinstance(self.enabled, Unset):
            enabled = UNSET
        else:
            enabled = self.enabled

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "url": url,
                "recipient": recipient,
            }
        )
        if attachments is not UNSET:
            field_dict["attachments"] = attachments
        if headers is not UNSET:
            field_dict["headers"] = headers
        if group_by_message_id is not UNSET:
            field_dict["group_by_message_id"] = group_by_message_id
        if strip_replies is not UNSET:
            field_dict["strip_replies"] = strip_replies
        if enabled is not UNSET:
            field_dict["enabled"] = enabled

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        name = d.pop("name")

        url = d.pop("url")

        recipient = d.pop("recipient")

        def _parse_attachments(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        attachments = _parse_attachments(d.pop("attachments", UNSET))

        def _parse_headers(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        headers = _parse_headers(d.pop("headers", UNSET))

        def _parse_group_by_message_id(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        group_by_message_id = _parse_group_by_message_id(d.pop("group_by_message_id", UNSET))

        def _parse_strip_replies(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        strip_replies = _parse_strip_replies(d.pop("strip_replies", UNSET))

        def _parse_enabled(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        enabled = _parse_enabled(d.pop("enabled", UNSET))

        routes_create_body = cls(
            name=name,
            url=url,
            recipient=recipient,
            attachments=attachments,
            headers=headers,
            group_by_message_id=group_by_message_id,
            strip_replies=strip_replies,
            enabled=enabled,
        )

        return routes_create_body
