from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.templates_update_body_content import TemplatesUpdateBodyContent
    from ..models.templates_update_body_from_type_0 import TemplatesUpdateBodyFromType0
    from ..models.templates_update_body_reply_to_type_0 import (
        TemplatesUpdateBodyReplyToType0,
    )


T = TypeVar("T", bound="TemplatesUpdateBody")


@_attrs_define
class TemplatesUpdateBody:
    """
    Attributes:
        name (str | Unset):
        subject (None | str | Unset): `null` or `""` clears it.
        preheader (None | str | Unset): `null` or `""` clears it.
        from_ (None | TemplatesUpdateBodyFromType0 | Unset): On a domain of the account that may send. `null` clears
            sender and reply-to.
        reply_to (None | TemplatesUpdateBodyReplyToType0 | Unset): Needs a sender and has no name. `null` clears it.
        content (TemplatesUpdateBodyContent | Unset): One of `mjml` and `html`, or `text`, or one of the former with it.
            `text: null` makes the text from the HTML.
        publish (bool | None | Unset): Publish after writing.
    """

    name: str | Unset = UNSET
    subject: None | str | Unset = UNSET
    preheader: None | str | Unset = UNSET
    from_: None | TemplatesUpdateBodyFromType0 | Unset = UNSET
    reply_to: None | TemplatesUpdateBodyReplyToType0 | Unset = UNSET
    content: TemplatesUpdateBodyContent | Unset = UNSET
    publish: bool | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.templates_update_body_from_type_0 import (
            TemplatesUpdateBodyFromType0,
        )
        from ..models.templates_update_body_reply_to_type_0 import (
            TemplatesUpdateBodyReplyToType0,
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
        elif isinstance(self.from_, TemplatesUpdateBodyFromType0):
            from_ = self.from_.to_dict()
        else:
            from_ = self.from_

        reply_to: dict[str, Any] | None | Unset
        if isinstance(self.reply_to, Unset):
            reply_to = UNSET
        elif isinstance(self.reply_to, TemplatesUpdateBodyReplyToType0):
            reply_to = self.reply_to.to_dict()
        else:
            reply_to = self.reply_to

        content: dict[str, Any] | Unset = UNSET
        if not isinstance(self.content, Unset):
            content = self.content.to_dict()

        publish: bool | None | Unset
        if isinstance(self.publish, Unset):
            publish = UNSET
        else:
            publish = self.publish

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
        if content is not UNSET:
            field_dict["content"] = content
        if publish is not UNSET:
            field_dict["publish"] = publish

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.templates_update_body_content import TemplatesUpdateBodyContent
        from ..models.templates_update_body_from_type_0 import (
            TemplatesUpdateBodyFromType0,
        )
        from ..models.templates_update_body_reply_to_type_0 import (
            TemplatesUpdateBodyReplyToType0,
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

        def _parse_from_(data: object) -> None | TemplatesUpdateBodyFromType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                from_type_0 = TemplatesUpdateBodyFromType0.from_dict(data)

                return from_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TemplatesUpdateBodyFromType0 | Unset, data)

        from_ = _parse_from_(d.pop("from", UNSET))

        def _parse_reply_to(data: object) -> None | TemplatesUpdateBodyReplyToType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                reply_to_type_0 = TemplatesUpdateBodyReplyToType0.from_dict(data)

                return reply_to_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TemplatesUpdateBodyReplyToType0 | Unset, data)

        reply_to = _parse_reply_to(d.pop("reply_to", UNSET))

        _content = d.pop("content", UNSET)
        content: TemplatesUpdateBodyContent | Unset
        if isinstance(_content, Unset):
            content = UNSET
        else:
            content = TemplatesUpdateBodyContent.from_dict(_content)

        def _parse_publish(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        publish = _parse_publish(d.pop("publish", UNSET))

        templates_update_body = cls(
            name=name,
            subject=subject,
            preheader=preheader,
            from_=from_,
            reply_to=reply_to,
            content=content,
            publish=publish,
        )

        return templates_update_body
