from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.campaigns_update_body_content import CampaignsUpdateBodyContent
    from ..models.campaigns_update_body_from_type_0 import CampaignsUpdateBodyFromType0


T = TypeVar("T", bound="CampaignsUpdateBody")


@_attrs_define
class CampaignsUpdateBody:
    """
    Attributes:
        name (str | Unset):
        subject (None | str | Unset): `null` or `""` clears it.
        preheader (None | str | Unset): `null` or `""` clears it.
        from_ (CampaignsUpdateBodyFromType0 | None | Unset): On a domain of the account that may send. `null` clears it;
            the reply-to stays.
        reply_to (None | str | Unset): `null` or `""` clears it.
        list_ids (list[str] | Unset): In the order of sending. Each once.
        content (CampaignsUpdateBodyContent | Unset): One of `mjml` and `html`, or `text`, or one of the former with it.
            `text: null` makes the text from the HTML.
    """

    name: str | Unset = UNSET
    subject: None | str | Unset = UNSET
    preheader: None | str | Unset = UNSET
    from_: CampaignsUpdateBodyFromType0 | None | Unset = UNSET
    reply_to: None | str | Unset = UNSET
    list_ids: list[str] | Unset = UNSET
    content: CampaignsUpdateBodyContent | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.campaigns_update_body_from_type_0 import (
            CampaignsUpdateBodyFromType0,
        )

        name = self.name

        subject: None | str | Unset
        if isinstance(self.subject, Unset):
            subject = UNSET
        else:
            subject = self.subject

        preheader: None | str | Unset
        if isinstance(self.preheader, Unset):
            preheader = UNSET
        else:
            preheader = self.preheader

        from_: dict[str, Any] | None | Unset
        if isinstance(self.from_, Unset):
            from_ = UNSET
        elif isinstance(self.from_, CampaignsUpdateBodyFromType0):
            from_ = self.from_.to_dict()
        else:
            from_ = self.from_

        reply_to: None | str | Unset
        if isinstance(self.reply_to, Unset):
            reply_to = UNSET
        else:
            reply_to = self.reply_to

        list_ids: list[str] | Unset = UNSET
        if not isinstance(self.list_ids, Unset):
            list_ids = self.list_ids

        content: dict[str, Any] | Unset = UNSET
        if not isinstance(self.content, Unset):
            content = self.content.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if name is not UNSET:
            field_dict["name"] = name
        if subject is not UNSET:
            field_dict["subject"] = subject
        if preheader is not UNSET:
            field_dict["preheader"] = preheader
        if from_ is not UNSET:
            field_dict["from"] = from_
        if reply_to is not UNSET:
            field_dict["reply_to"] = reply_to
        if list_ids is not UNSET:
            field_dict["list_ids"] = list_ids
        if content is not UNSET:
            field_dict["content"] = content

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.campaigns_update_body_content import CampaignsUpdateBodyContent
        from ..models.campaigns_update_body_from_type_0 import (
            CampaignsUpdateBodyFromType0,
        )

        d = dict(src_dict)
        name = d.pop("name", UNSET)

        def _parse_subject(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        subject = _parse_subject(d.pop("subject", UNSET))

        def _parse_preheader(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        preheader = _parse_preheader(d.pop("preheader", UNSET))

        def _parse_from_(data: object) -> CampaignsUpdateBodyFromType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                from_type_0 = CampaignsUpdateBodyFromType0.from_dict(data)

                return from_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(CampaignsUpdateBodyFromType0 | None | Unset, data)

        from_ = _parse_from_(d.pop("from", UNSET))

        def _parse_reply_to(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        reply_to = _parse_reply_to(d.pop("reply_to", UNSET))

        list_ids = cast(list[str], d.pop("list_ids", UNSET))

        _content = d.pop("content", UNSET)
        content: CampaignsUpdateBodyContent | Unset
        if isinstance(_content, Unset):
            content = UNSET
        else:
            content = CampaignsUpdateBodyContent.from_dict(_content)

        campaigns_update_body = cls(
            name=name,
            subject=subject,
            preheader=preheader,
            from_=from_,
            reply_to=reply_to,
            list_ids=list_ids,
            content=content,
        )

        return campaigns_update_body
