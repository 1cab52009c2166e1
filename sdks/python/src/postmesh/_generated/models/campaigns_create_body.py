from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.campaigns_create_body_content import CampaignsCreateBodyContent
    from ..models.campaigns_create_body_from_type_0 import CampaignsCreateBodyFromType0


T = TypeVar("T", bound="CampaignsCreateBody")


@_attrs_define
class CampaignsCreateBody:
    """
    Attributes:
        name (str):
        subject (None | str | Unset): `null` or `""` clears it.
        preheader (None | str | Unset): `null` or `""` clears it.
        from_ (CampaignsCreateBodyFromType0 | None | Unset): On a domain of the account that may send. `null` clears it;
            the reply-to stays.
        reply_to (None | str | Unset): `null` or `""` clears it.
        list_ids (list[str] | None | Unset): In the order of sending. Each once.
        template_id (None | str | Unset): A campaign template, whose design is copied.
        content (CampaignsCreateBodyContent | Unset): One of `mjml` and `html`, or `text`, or one of the former with it.
            `text: null` makes the text from the HTML.
    """

    name: str
    subject: None | str | Unset = UNSET
    preheader: None | str | Unset = UNSET
    from_: CampaignsCreateBodyFromType0 | None | Unset = UNSET
    reply_to: None | str | Unset = UNSET
    list_ids: list[str] | None | Unset = UNSET
    template_id: None | str | Unset = UNSET
    content: CampaignsCreateBodyContent | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.campaigns_create_body_from_type_0 import (
            CampaignsCreateBodyFromType0,
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
        elif isinstance(self.from_, CampaignsCreateBodyFromType0):
            from_ = self.from_.to_dict()
        else:
            from_ = self.from_

        reply_to: None | str | Unset
        if isinstance(self.reply_to, Unset):
            reply_to = UNSET
        else:
            reply_to = self.reply_to

        list_ids: list[str] | None | Unset
        if isinstance(self.list_ids, Unset):
            list_ids = UNSET
        elif isinstance(self.list_ids, list):
            list_ids = self.list_ids

        else:
            list_ids = self.list_ids

        template_id: None | str | Unset
        if isinstance(self.template_id, Unset):
            template_id = UNSET
        else:
            template_id = self.template_id

        content: dict[str, Any] | Unset = UNSET
        if not isinstance(self.content, Unset):
            content = self.content.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
            }
        )
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
        if template_id is not UNSET:
            field_dict["template_id"] = template_id
        if content is not UNSET:
            field_dict["content"] = content

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.campaigns_create_body_content import CampaignsCreateBodyContent
        from ..models.campaigns_create_body_from_type_0 import (
            CampaignsCreateBodyFromType0,
        )

        d = dict(src_dict)
        name = d.pop("name")

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

        def _parse_from_(data: object) -> CampaignsCreateBodyFromType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                from_type_0 = CampaignsCreateBodyFromType0.from_dict(data)

                return from_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(CampaignsCreateBodyFromType0 | None | Unset, data)

        from_ = _parse_from_(d.pop("from", UNSET))

        def _parse_reply_to(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        reply_to = _parse_reply_to(d.pop("reply_to", UNSET))

        def _parse_list_ids(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                list_ids_type_0 = cast(list[str], data)

                return list_ids_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        list_ids = _parse_list_ids(d.pop("list_ids", UNSET))

        def _parse_template_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        template_id = _parse_template_id(d.pop("template_id", UNSET))

        _content = d.pop("content", UNSET)
        content: CampaignsCreateBodyContent | Unset
        if isinstance(_content, Unset):
            content = UNSET
        else:
            content = CampaignsCreateBodyContent.from_dict(_content)

        campaigns_create_body = cls(
            name=name,
            subject=subject,
            preheader=preheader,
            from_=from_,
            reply_to=reply_to,
            list_ids=list_ids,
            template_id=template_id,
            content=content,
        )

        return campaigns_create_body
