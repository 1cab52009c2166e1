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
    from ..models.template_content import TemplateContent
    from ..models.template_from_type_0 import TemplateFromType0
    from ..models.template_reply_to_type_0 import TemplateReplyToType0
    from ..models.template_variable import TemplateVariable


T = TypeVar("T", bound="Template")


@_attrs_define
class Template:
    """A transactional template, as it is published.

    Attributes:
        object_ (Literal['template']):
        id (UUID):
        created_at (datetime.datetime):
        updated_at (datetime.datetime): Last change of the name or of the published copy.
        name (str):
        subject (str):
        preheader (str):
        variables (list[TemplateVariable]):
        from_ (None | TemplateFromType0): The default sender; null: each send needs `from`.
        reply_to (None | TemplateReplyToType0):
        editor (str):
        has_draft (bool):
        content (None | TemplateContent): null: there is no body.
    """

    object_: Literal["template"]
    id: UUID
    created_at: datetime.datetime
    updated_at: datetime.datetime
    name: str
    subject: str
    preheader: str
    variables: list[TemplateVariable]
    from_: None | TemplateFromType0
    reply_to: None | TemplateReplyToType0
    editor: str
    has_draft: bool
    content: None | TemplateContent
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.template_content import TemplateContent
        from ..models.template_from_type_0 import TemplateFromType0
        from ..models.template_reply_to_type_0 import TemplateReplyToType0

        object_ = self.object_

        id = str(self.id)

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        name = self.name

        subject = self.subject

        preheader = self.preheader

        variables = []
        for variables_item_data in self.variables:
            variables_item = variables_item_data.to_dict()
            variables.append(variables_item)

        from_: dict[str, Any] | None
        if isinstance(self.from_, TemplateFromType0):
            from_ = self.from_.to_dict()
        else:
            from_ = self.from_

        reply_to: dict[str, Any] | None
        if isinstance(self.reply_to, TemplateReplyToType0):
            reply_to = self.reply_to.to_dict()
        else:
            reply_to = self.reply_to

        editor = self.editor

        has_draft = self.has_draft

        content: dict[str, Any] | None
        if isinstance(self.content, TemplateContent):
            content = self.content.to_dict()
        else:
            content = self.content

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
                "variables": variables,
                "from": from_,
                "reply_to": reply_to,
                "editor": editor,
                "has_draft": has_draft,
                "content": content,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.template_content import TemplateContent
        from ..models.template_from_type_0 import TemplateFromType0
        from ..models.template_reply_to_type_0 import TemplateReplyToType0
        from ..models.template_variable import TemplateVariable

        d = dict(src_dict)
        object_ = cast(Literal["template"], d.pop("object"))
        if object_ != "template":
            raise ValueError(f"object must match const 'template', got '{object_}'")

        id = UUID(d.pop("id"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        name = d.pop("name")

        subject = d.pop("subject")

        preheader = d.pop("preheader")

        variables = []
        _variables = d.pop("variables")
        for variables_item_data in _variables:
            variables_item = TemplateVariable.from_dict(variables_item_data)

            variables.append(variables_item)

        def _parse_from_(data: object) -> None | TemplateFromType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                from_type_0 = TemplateFromType0.from_dict(data)

                return from_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TemplateFromType0, data)

        from_ = _parse_from_(d.pop("from"))

        def _parse_reply_to(data: object) -> None | TemplateReplyToType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                reply_to_type_0 = TemplateReplyToType0.from_dict(data)

                return reply_to_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TemplateReplyToType0, data)

        reply_to = _parse_reply_to(d.pop("reply_to"))

        editor = d.pop("editor")

        has_draft = d.pop("has_draft")

        def _parse_content(data: object) -> None | TemplateContent:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                content_type_0 = TemplateContent.from_dict(data)

                return content_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TemplateContent, data)

        content = _parse_content(d.pop("content"))

        template = cls(
            object_=object_,
            id=id,
            created_at=created_at,
            updated_at=updated_at,
            name=name,
            subject=subject,
            preheader=preheader,
            variables=variables,
            from_=from_,
            reply_to=reply_to,
            editor=editor,
            has_draft=has_draft,
            content=content,
        )

        template.additional_properties = d
        return template

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
