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


T = TypeVar("T", bound="CampaignTemplate")


@_attrs_define
class CampaignTemplate:
    """A design that campaigns copy.

    Attributes:
        object_ (Literal['campaign_template']):
        id (UUID):
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        name (str):
        editor (str): Never changes.
        content (None | TemplateContent):
    """

    object_: Literal["campaign_template"]
    id: UUID
    created_at: datetime.datetime
    updated_at: datetime.datetime
    name: str
    editor: str
    content: None | TemplateContent
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.template_content import TemplateContent

        object_ = self.object_

        id = str(self.id)

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        name = self.name

        editor = self.editor

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
                "editor": editor,
                "content": content,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.template_content import TemplateContent

        d = dict(src_dict)
        object_ = cast(Literal["campaign_template"], d.pop("object"))
        if object_ != "campaign_template":
            raise ValueError(f"object must match const 'campaign_template', got '{object_}'")

        id = UUID(d.pop("id"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        name = d.pop("name")

        editor = d.pop("editor")

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

        campaign_template = cls(
            object_=object_,
            id=id,
            created_at=created_at,
            updated_at=updated_at,
            name=name,
            editor=editor,
            content=content,
        )

        campaign_template.additional_properties = d
        return campaign_template

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
