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
    from ..models.route_call_data import RouteCallData


T = TypeVar("T", bound="RouteCall")


@_attrs_define
class RouteCall:
    """A message that arrived for a route.

    Attributes:
        type_ (Literal['message.routing']):
        timestamp (datetime.datetime): When the message arrived.
        route_id (UUID):
        data (RouteCallData):
    """

    type_: Literal["message.routing"]
    timestamp: datetime.datetime
    route_id: UUID
    data: RouteCallData
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        timestamp = self.timestamp.isoformat()

        route_id = str(self.route_id)

        data = self.data.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "type": type_,
                "timestamp": timestamp,
                "route_id": route_id,
                "data": data,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.route_call_data import RouteCallData

        d = dict(src_dict)
        type_ = cast(Literal["message.routing"], d.pop("type"))
        if type_ != "message.routing":
            raise ValueError(f"type must match const 'message.routing', got '{type_}'")

        timestamp = datetime.datetime.fromisoformat(d.pop("timestamp"))

        route_id = UUID(d.pop("route_id"))

        data = RouteCallData.from_dict(d.pop("data"))

        route_call = cls(
            type_=type_,
            timestamp=timestamp,
            route_id=route_id,
            data=data,
        )

        route_call.additional_properties = d
        return route_call

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
