from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.templates_create_body_editor_type_1 import (
    TemplatesCreateBodyEditorType1,
    check_templates_create_body_editor_type_1,
)
from ..models.templates_create_body_editor_type_2_type_1 import (
    TemplatesCreateBodyEditorType2Type1,
    check_templates_create_body_editor_type_2_type_1,
)
from ..models.templates_create_body_editor_type_3_type_1 import (
    TemplatesCreateBodyEditorType3Type1,
    check_templates_create_body_editor_type_3_type_1,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.templates_create_body_content import TemplatesCreateBodyContent
    from ..models.templates_create_body_from_type_0 import TemplatesCreateBodyFromType0
    from ..models.templates_create_body_reply_to_type_0 import (
        TemplatesCreateBodyReplyToType0,
    )


T = TypeVar("T", bound="TemplatesCreateBody")


@_attrs_define
class TemplatesCreateBody:
    """
    Attributes:
        name (str):
        editor (None | TemplatesCreateBodyEditorType1 | TemplatesCreateBodyEditorType2Type1 |
            TemplatesCreateBodyEditorType3Type1 | Unset): Follows from the content where that has mjml or html.
        subject (None | str | Unset): `null` or `""` clears it.
        preheader (None | str | Unset): `null` or `""` clears it.
        from_ (None | TemplatesCreateBodyFromType0 | Unset): On a domain of the account that may send. `null` clears
            sender and reply-to.
        reply_to (None | TemplatesCreateBodyReplyToType0 | Unset): Needs a sender and has no name. `null` clears it.
        content (TemplatesCreateBodyContent | Unset): One of `mjml` and `html`, or `text`, or one of the former with it.
            `text: null` makes the text from the HTML.
        publish (bool | None | Unset): Publish after writing.
    """

    name: str
    editor: (
        None
        | TemplatesCreateBodyEditorType1
        | TemplatesCreateBodyEditorType2Type1
        | TemplatesCreateBodyEditorType3Type1
        | Unset
    ) = UNSET
    subject: None | str | Unset = UNSET
    preheader: None | str | Unset = UNSET
    from_: None | TemplatesCreateBodyFromType0 | Unset = UNSET
    reply_to: None | TemplatesCreateBodyReplyToType0 | Unset = UNSET
    content: TemplatesCreateBodyContent | Unset = UNSET
    publish: bool | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.templates_create_body_from_type_0 import (
            TemplatesCreateBodyFromType0,
        )
        from ..models.templates_create_body_reply_to_type_0 import (
            TemplatesCreateBodyReplyToType0,
        )

        name = self.name

        editor: None | str | Unset
        if isinstance(self.editor, Unset):
            editor = UNSET
        elif isinstance(self.editor, str) or isinstance(self.editor, str) or isinstance(self.editor, str):
            editor = self.editor
        else:
            editor = self.editor

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
        elif isinstance(self.from_, TemplatesCreateBodyFromType0):
            from_ = self.from_.to_dict()
        else:
            from_ = self.from_

        reply_to: dict[str, Any] | None | Unset
        if isinstance(self.reply_to, Unset):
            reply_to = UNSET
        elif isinstance(self.reply_to, TemplatesCreateBodyReplyToType0):
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

        field_dict.update(
            {
                "name": name,
            }
        )
        if editor is not UNSET:
            field_dict["editor"] = editor
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
        from ..models.templates_create_body_content import TemplatesCreateBodyContent
        from ..models.templates_create_body_from_type_0 import (
            TemplatesCreateBodyFromType0,
        )
        from ..models.templates_create_body_reply_to_type_0 import (
            TemplatesCreateBodyReplyToType0,
        )

        d = dict(src_dict)
        name = d.pop("name")

        def _parse_editor(
            data: object,
        ) -> (
            None
            | TemplatesCreateBodyEditorType1
            | TemplatesCreateBodyEditorType2Type1
            | TemplatesCreateBodyEditorType3Type1
            | Unset
        ):
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                editor_type_1 = check_templates_create_body_editor_type_1(data)

                return editor_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                editor_type_2_type_1 = check_templates_create_body_editor_type_2_type_1(data)

                return editor_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                editor_type_3_type_1 = check_templates_create_body_editor_type_3_type_1(data)

                return editor_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(
                None
                | TemplatesCreateBodyEditorType1
                | TemplatesCreateBodyEditorType2Type1
                | TemplatesCreateBodyEditorType3Type1
                | Unset,
                data,
            )

        editor = _parse_editor(d.pop("editor", UNSET))

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

        def _parse_from_(data: object) -> None | TemplatesCreateBodyFromType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                from_type_0 = TemplatesCreateBodyFromType0.from_dict(data)

                return from_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TemplatesCreateBodyFromType0 | Unset, data)

        from_ = _parse_from_(d.pop("from", UNSET))

        def _parse_reply_to(data: object) -> None | TemplatesCreateBodyReplyToType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                reply_to_type_0 = TemplatesCreateBodyReplyToType0.from_dict(data)

                return reply_to_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TemplatesCreateBodyReplyToType0 | Unset, data)

        reply_to = _parse_reply_to(d.pop("reply_to", UNSET))

        _content = d.pop("content", UNSET)
        content: TemplatesCreateBodyContent | Unset
        if isinstance(_content, Unset):
            content = UNSET
        else:
            content = TemplatesCreateBodyContent.from_dict(_content)

        def _parse_publish(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        publish = _parse_publish(d.pop("publish", UNSET))

        templates_create_body = cls(
            name=name,
            editor=editor,
            subject=subject,
            preheader=preheader,
            from_=from_,
            reply_to=reply_to,
            content=content,
            publish=publish,
        )

        return templates_create_body
