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
    from ..models.template_variable import TemplateVariable
    from ..models.template_version_detail_from_type_0 import (
        TemplateVersionDetailFromType0,
    )
    from ..models.template_version_detail_published_by_type_0 import (
        TemplateVersionDetailPublishedByType0,
    )
    from ..models.template_version_detail_reply_to_type_0 import (
        TemplateVersionDetailReplyToType0,
    )


T = TypeVar("T", bound="TemplateVersionDetail")


@_attrs_define
class TemplateVersionDetail:
    """A state that was published, with all that it held.

    Attributes:
        object_ (Literal['template_version']):
        id (UUID):
        version (int):
        published_at (datetime.datetime):
        published_by (None | TemplateVersionDetailPublishedByType0): null: not known, or deleted meanwhile.
        subject (str):
        preheader (str):
        variables (list[TemplateVariable]):
        from_ (None | TemplateVersionDetailFromType0): The default sender; null: each send needs `from`.
        reply_to (None | TemplateVersionDetailReplyToType0):
        content (None | TemplateContent): null: there is no body.
    """

    object_: Literal["template_version"]
    id: UUID
    version: int
    published_at: datetime.datetime
    published_by: None | TemplateVersionDetailPublishedByType0
    subject: str
    preheader: str
    variables: list[TemplateVariable]
    from_: None | TemplateVersionDetailFromType0
    reply_to: None | TemplateVersionDetailReplyToType0
    content: None | TemplateContent
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.template_content import TemplateContent
        from ..models.template_version_detail_from_type_0 import (
            TemplateVersionDetailFromType0,
        )
        from ..models.template_version_detail_published_by_type_0 import (
            TemplateVersionDetailPublishedByType0,
        )
        from ..models.template_version_detail_reply_to_type_0 import (
            TemplateVersionDetailReplyToType0,
        )

        object_ = self.object_

        id = str(self.id)

        version = self.version

        published_at = self.published_at.isoformat()

        published_by: dict[str, Any] | None
        if isinstance(self.published_by, TemplateVersionDetailPublishedByType0):
            published_by = self.published_by.to_dict()
        else:
            published_by = self.published_by

        subject = self.subject

        preheader = self.preheader

        variables = []
        for variables_item_data in self.variables:
            variables_item = variables_item_data.to_dict()
            variables.append(variables_item)

        from_: dict[str, Any] | None
        if isinstance(self.from_, TemplateVersionDetailFromType0):
            from_ = self.from_.to_dict()
        else:
            from_ = self.from_

        reply_to: dict[str, Any] | None
        if isinstance(self.reply_to, TemplateVersionDetailReplyToType0):
            reply_to = self.reply_to.to_dict()
        else:
            reply_to = self.reply_to

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
                "version": version,
                "published_at": published_at,
                "published_by": published_by,
                "subject": subject,
                "preheader": preheader,
                "variables": variables,
                "from": from_,
                "reply_to": reply_to,
                "content": content,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.template_content import TemplateContent
        from ..models.template_variable import TemplateVariable
        from ..models.template_version_detail_from_type_0 import (
            TemplateVersionDetailFromType0,
        )
        from ..models.template_version_detail_published_by_type_0 import (
            TemplateVersionDetailPublishedByType0,
        )
        from ..models.template_version_detail_reply_to_type_0 import (
            TemplateVersionDetailReplyToType0,
        )

        d = dict(src_dict)
        object_ = cast(Literal["template_version"], d.pop("object"))
        if object_ != "template_version":
            raise ValueError(f"object must match const 'template_version', got '{object_}'")

        id = UUID(d.pop("id"))

        version = d.pop("version")

        published_at = datetime.datetime.fromisoformat(d.pop("published_at"))

        def _parse_published_by(data: object) -> None | TemplateVersionDetailPublishedByType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                published_by_type_0 = TemplateVersionDetailPublishedByType0.from_dict(data)

                return published_by_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TemplateVersionDetailPublishedByType0, data)

        published_by = _parse_published_by(d.pop("published_by"))

        subject = d.pop("subject")

        preheader = d.pop("preheader")

        variables = []
        _variables = d.pop("variables")
        for variables_item_data in _variables:
            variables_item = TemplateVariable.from_dict(variables_item_data)

            variables.append(variables_item)

        def _parse_from_(data: object) -> None | TemplateVersionDetailFromType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                from_type_0 = TemplateVersionDetailFromType0.from_dict(data)

                return from_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TemplateVersionDetailFromType0, data)

        from_ = _parse_from_(d.pop("from"))

        def _parse_reply_to(data: object) -> None | TemplateVersionDetailReplyToType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                reply_to_type_0 = TemplateVersionDetailReplyToType0.from_dict(data)

                return reply_to_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TemplateVersionDetailReplyToType0, data)

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

        template_version_detail = cls(
            object_=object_,
            id=id,
            version=version,
            published_at=published_at,
            published_by=published_by,
            subject=subject,
            preheader=preheader,
            variables=variables,
            from_=from_,
            reply_to=reply_to,
            content=content,
        )

        template_version_detail.additional_properties = d
        return template_version_detail

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
