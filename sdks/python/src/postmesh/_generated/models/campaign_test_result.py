from __future__ import annotations

from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Self,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.campaign_test_result_recipient import CampaignTestResultRecipient


T = TypeVar("T", bound="CampaignTestResult")


@_attrs_define
class CampaignTestResult:
    """The result for one address of a test.

    Attributes:
        object_ (Literal['message']):
        id (None | str): The Message-ID, with angle brackets; null: not sent.
        recipient (CampaignTestResultRecipient):
        status (str):
        error (str | Unset): The reason why no message is sent to this address.
    """

    object_: Literal["message"]
    id: None | str
    recipient: CampaignTestResultRecipient
    status: str
    error: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id: None | str
        id = self.id

        recipient = self.recipient.to_dict()

        status = self.status

        error = self.error

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "id": id,
                "recipient": recipient,
                "status": status,
            }
        )
        if error is not UNSET:
            field_dict["error"] = error

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.campaign_test_result_recipient import CampaignTestResultRecipient

        d = dict(src_dict)
        object_ = cast(Literal["message"], d.pop("object"))
        if object_ != "message":
            raise ValueError(f"object must match const 'message', got '{object_}'")

        def _parse_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        id = _parse_id(d.pop("id"))

        recipient = CampaignTestResultRecipient.from_dict(d.pop("recipient"))

        status = d.pop("status")

        error = d.pop("error", UNSET)

        campaign_test_result = cls(
            object_=object_,
            id=id,
            recipient=recipient,
            status=status,
            error=error,
        )

        campaign_test_result.additional_properties = d
        return campaign_test_result

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
