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
    from ..models.campaign_list_item_from_type_0 import CampaignListItemFromType0


T = TypeVar("T", bound="CampaignListItem")


@_attrs_define
class CampaignListItem:
    """A campaign without lists, content and issues.

    Attributes:
        object_ (Literal['campaign']):
        id (UUID):
        created_at (datetime.datetime):
        updated_at (datetime.datetime): Last change of a stored field, including status and time of sending.
        name (str):
        subject (None | str):
        preheader (None | str):
        from_ (CampaignListItemFromType0 | None): null until it is set, and once its domain was deleted.
        reply_to (None | str):
        status (str):
        status_reason (None | str):
        send_at (datetime.datetime | None):
        send_resumes_at (datetime.datetime | None): Only while the daily limit pauses it.
        finished_at (datetime.datetime | None):
        editor (None | str): null while there is no design.
        ready (bool | None): Whether it can be sent; null unless a draft.
    """

    object_: Literal["campaign"]
    id: UUID
    created_at: datetime.datetime
    updated_at: datetime.datetime
    name: str
    subject: None | str
    preheader: None | str
    from_: CampaignListItemFromType0 | None
    reply_to: None | str
    status: str
    status_reason: None | str
    send_at: datetime.datetime | None
    send_resumes_at: datetime.datetime | None
    finished_at: datetime.datetime | None
    editor: None | str
    ready: bool | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.campaign_list_item_from_type_0 import CampaignListItemFromType0

        object_ = self.object_

        id = str(self.id)

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        name = self.name

        subject: None | str
        subject = self.subject

        preheader: None | str
        preheader = self.preheader

        from_: dict[str, Any] | None
        if isinstance(self.from_, CampaignListItemFromType0):
            from_ = self.from_.to_dict()
        else:
            from_ = self.from_

        reply_to: None | str
        reply_to = self.reply_to

        status = self.status

        status_reason: None | str
        status_reason = self.status_reason

        send_at: None | str
        if isinstance(self.send_at, datetime.datetime):
            send_at = self.send_at.isoformat()
        else:
            send_at = self.send_at

        send_resumes_at: None | str
        if isinstance(self.send_resumes_at, datetime.datetime):
            send_resumes_at = self.send_resumes_at.isoformat()
        else:
            send_resumes_at = self.send_resumes_at

        finished_at: None | str
        if isinstance(self.finished_at, datetime.datetime):
            finished_at = self.finished_at.isoformat()
        else:
            finished_at = self.finished_at

        editor: None | str
        editor = self.editor

        ready: bool | None
        ready = self.ready

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "id": id,
                "created_at": created_at,
                "updated_at": updated_at,
                "name": name,
                "subject": subject,
                "preheader": preheader,
                "from": from_,
                "reply_to": reply_to,
                "status": status,
                "status_reason": status_reason,
                "send_at": send_at,
                "send_resumes_at": send_resumes_at,
                "finished_at": finished_at,
                "editor": editor,
                "ready": ready,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.campaign_list_item_from_type_0 import CampaignListItemFromType0

        d = dict(src_dict)
        object_ = cast(Literal["campaign"], d.pop("object"))
        if object_ != "campaign":
            raise ValueError(f"object must match const 'campaign', got '{object_}'")

        id = UUID(d.pop("id"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        name = d.pop("name")

        def _parse_subject(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        subject = _parse_subject(d.pop("subject"))

        def _parse_preheader(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        preheader = _parse_preheader(d.pop("preheader"))

        def _parse_from_(data: object) -> CampaignListItemFromType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                from_type_0 = CampaignListItemFromType0.from_dict(data)

                return from_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(CampaignListItemFromType0 | None, data)

        from_ = _parse_from_(d.pop("from"))

        def _parse_reply_to(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reply_to = _parse_reply_to(d.pop("reply_to"))

        status = d.pop("status")

        def _parse_status_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        status_reason = _parse_status_reason(d.pop("status_reason"))

        def _parse_send_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                send_at_type_0 = datetime.datetime.fromisoformat(data)

                return send_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        send_at = _parse_send_at(d.pop("send_at"))

        def _parse_send_resumes_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                send_resumes_at_type_0 = datetime.datetime.fromisoformat(data)

                return send_resumes_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        send_resumes_at = _parse_send_resumes_at(d.pop("send_resumes_at"))

        def _parse_finished_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                finished_at_type_0 = datetime.datetime.fromisoformat(data)

                return finished_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        finished_at = _parse_finished_at(d.pop("finished_at"))

        def _parse_editor(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        editor = _parse_editor(d.pop("editor"))

        def _parse_ready(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        ready = _parse_ready(d.pop("ready"))

        campaign_list_item = cls(
            object_=object_,
            id=id,
            created_at=created_at,
            updated_at=updated_at,
            name=name,
            subject=subject,
            preheader=preheader,
            from_=from_,
            reply_to=reply_to,
            status=status,
            status_reason=status_reason,
            send_at=send_at,
            send_resumes_at=send_resumes_at,
            finished_at=finished_at,
            editor=editor,
            ready=ready,
        )

        campaign_list_item.additional_properties = d
        return campaign_list_item

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
