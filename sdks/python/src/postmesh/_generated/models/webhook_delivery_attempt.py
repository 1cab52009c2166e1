from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

T = TypeVar("T", bound="WebhookDeliveryAttempt")


@_attrs_define
class WebhookDeliveryAttempt:
    """What the other server said.

    Attributes:
        smtp_code (int): 0: a text of Postmesh, without an SMTP code.
        classification (str | Unset): The class of a failure; an open set.
        enhanced_status_code (str | Unset):
        response (str | Unset):
        command (str | Unset): The SMTP command that got the reply.
    """

    smtp_code: int
    classification: str | Unset = UNSET
    enhanced_status_code: str | Unset = UNSET
    response: str | Unset = UNSET
    command: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        smtp_code = self.smtp_code

        classification = self.classification

        enhanced_status_code = self.enhanced_status_code

        response = self.response

        command = self.command

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "smtp_code": smtp_code,
            }
        )
        if classification is not UNSET:
            field_dict["classification"] = classification
        if enhanced_status_code is not UNSET:
            field_dict["enhanced_status_code"] = enhanced_status_code
        if response is not UNSET:
            field_dict["response"] = response
        if command is not UNSET:
            field_dict["command"] = command

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        smtp_code = d.pop("smtp_code")

        classification = d.pop("classification", UNSET)

        enhanced_status_code = d.pop("enhanced_status_code", UNSET)

        response = d.pop("response", UNSET)

        command = d.pop("command", UNSET)

        webhook_delivery_attempt = cls(
            smtp_code=smtp_code,
            classification=classification,
            enhanced_status_code=enhanced_status_code,
            response=response,
            command=command,
        )

        webhook_delivery_attempt.additional_properties = d
        return webhook_delivery_attempt

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
