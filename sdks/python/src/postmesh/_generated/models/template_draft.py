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
    from ..models.issue import Issue
    from ..models.template_content import TemplateContent
    from ..models.template_draft_from_type_0 import TemplateDraftFromType0
    from ..models.template_draft_reply_to_type_0 import TemplateDraftReplyToType0
    from ..models.template_variable import TemplateVariable


T = TypeVar("T", bound="TemplateDraft")


@_attrs_define
class TemplateDraft:
    """The draft, which is not published yet.

    Attributes:
        object_ (Literal['template_draft']):
        template_id (UUID):
        updated_at (datetime.datetime):
        subject (str):
        preheader (str):
        variables (list[TemplateVariable]):
        from_ (None | TemplateDraftFromType0): The default sender; null: each send needs `from`.
        reply_to (None | TemplateDraftReplyToType0):
        content (None | TemplateContent): null: there is no body.
        issues (list[Issue]): The problems that keep it from being published, or a send from relying on it.
    """

    object_: Literal["template_draft"]
    template_id: UUID
    updated_at: datetime.datetime
    subject: str
    preheader: str
    variables: list[TemplateVariable]
    from_: None | TemplateDraftFromType0
    reply_to: None | TemplateDraftReplyToType0
    content: None | TemplateContent
    issues: list[Issue]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.template_content import TemplateContent
        from ..models.template_draft_from_type_0 import TemplateDraftFromType0
        from ..models.template_draft_reply_to_type_0 import TemplateDraftReplyToType0

        object_ = self.object_

        template_id = str(self.template_id)

        updated_at = self.updated_at.isoformat()

        subject = self.subject

        preheader = self.preheader

        variables = []
        for variables_item_data in self.variables:
            variables_item = variables_item_data.to_dict()
            variables.append(variables_item)

        from_: dict[str, Any] | None
        if isinstance(self.from_, TemplateDraftFromType0):
            from_ = self.from_.to_dict()
        else:
            from_ = self.from_

        reply_to: dict[str, Any] | None
        if isinstance(self.reply_to, TemplateDraftReplyToType0):
            reply_to = self.reply_to.to_dict()
        else:
            reply_to = self.reply_to

        content: dict[str, Any] | None
        if isinstance(self.content, TemplateContent):
            content = self.content.to_dict()
        else:
            content = self.content

        issues = []
        for issues_item_data in self.issues:
            issues_item = issues_item_data.to_dict()
            issues.append(issues_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "template_id": template_id,
                "updated_at": updated_at,
                "subject": subject,
                "preheader": preheader,
                "variables": variables,
                "from": from_,
                "reply_to": reply_to,
                "content": content,
                "issues": issues,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.issue import Issue
        from ..models.template_content import TemplateContent
        from ..models.template_draft_from_type_0 import TemplateDraftFromType0
        from ..models.template_draft_reply_to_type_0 import TemplateDraftReplyToType0
        from ..models.template_variable import TemplateVariable

        d = dict(src_dict)
        object_ = cast(Literal["template_draft"], d.pop("object"))
        if object_ != "template_draft":
            raise ValueError(f"object must match const 'template_draft', got '{object_}'")

        template_id = UUID(d.pop("template_id"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        subject = d.pop("subject")

        preheader = d.pop("preheader")

        variables = []
        _variables = d.pop("variables")
        for variables_item_data in _variables:
            variables_item = TemplateVariable.from_dict(variables_item_data)

            variables.append(variables_item)

        def _parse_from_(data: object) -> None | TemplateDraftFromType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                from_type_0 = TemplateDraftFromType0.from_dict(data)

                return from_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TemplateDraftFromType0, data)

        from_ = _parse_from_(d.pop("from"))

        def _parse_reply_to(data: object) -> None | TemplateDraftReplyToType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                reply_to_type_0 = TemplateDraftReplyToType0.from_dict(data)

                return reply_to_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TemplateDraftReplyToType0, data)

        reply_to = _parse_reply_to(d.pop("reply_to"))

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

        issues = []
        _issues = d.pop("issues")
        for issues_item_data in _issues:
            issues_item = Issue.from_dict(issues_item_data)

            issues.append(issues_item)

        template_draft = cls(
            object_=object_,
            template_id=template_id,
            updated_at=updated_at,
            subject=subject,
            preheader=preheader,
            variables=variables,
            from_=from_,
            reply_to=reply_to,
            content=content,
            issues=issues,
        )

        template_draft.additional_properties = d
        return template_draft

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
