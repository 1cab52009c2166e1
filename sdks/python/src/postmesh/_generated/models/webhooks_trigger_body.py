from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="WebhooksTriggerBody")


@_attrs_define
class WebhooksTriggerBody:
    """
    Attributes:
        events (list[str]): Each of them one of `message.reception`, `message.delivered`, `message.transient_error`,
            `message.failed`, `message.bounced`, `message.suppressed`, `message.opened`, `message.clicked`,
            `suppression.created`, `domain.dns_error`.
    """

    events: list[str]

    def to_dict(self) -> dict[str, Any]:
        events = self.events

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "events": events,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        events = cast(list[str], d.pop("events"))

        webhooks_trigger_body = cls(
            events=events,
        )

        return webhooks_trigger_body
