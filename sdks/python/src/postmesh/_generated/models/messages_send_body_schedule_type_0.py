from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="MessagesSendBodyScheduleType0")


@_attrs_define
class MessagesSendBodyScheduleType0:
    """
    Attributes:
        first_attempt (datetime.datetime | None | Unset): In the future, within 7 days.
        expires (datetime.datetime | None | Unset): In the future, within 8 days.
    """

    first_attempt: datetime.datetime | None | Unset = UNSET
    expires: datetime.datetime | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        first_attempt: None | str | Unset
        if isinstance(self.first_attempt, Unset):
            first_attempt = UNSET
        elif isinstance(self.first_attempt, datetime.datetime):
            first_attempt = self.first_attempt.isoformat()
        else:
            first_attempt = self.first_attempt

        expires: None | str | Unset
        if isinstance(self.expires, Unset):
            expires = UNSET
        elif isinstance(self.expires, datetime.datetime):
            expires = self.expires.isoformat()
        else:
            expires = self.expires

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if first_attempt is not UNSET:
            field_dict["first_attempt"] = first_attempt
        if expires is not UNSET:
            field_dict["expires"] = expires

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)

        def _parse_first_attempt(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                first_attempt_type_0 = datetime.datetime.fromisoformat(data)

                return first_attempt_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        first_attempt = _parse_first_attempt(d.pop("first_attempt", UNSET))

        def _parse_expires(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                expires_type_0 = datetime.datetime.fromisoformat(data)

                return expires_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        expires = _parse_expires(d.pop("expires", UNSET))

        messages_send_body_schedule_type_0 = cls(
            first_attempt=first_attempt,
            expires=expires,
        )

        return messages_send_body_schedule_type_0
