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
    from ..models.template_version_published_by_type_0 import (
        TemplateVersionPublishedByType0,
    )


T = TypeVar("T", bound="TemplateVersion")


@_attrs_define
class TemplateVersion:
    """A state that was published.

    Attributes:
        object_ (Literal['template_version']):
        id (UUID):
        version (int):
        published_at (datetime.datetime):
        published_by (None | TemplateVersionPublishedByType0): null: not known, or deleted meanwhile.
    """

    object_: Literal["template_version"]
    id: UUID
    version: int
    published_at: datetime.datetime
    published_by: None | TemplateVersionPublishedByType0
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.template_version_published_by_type_0 import (
            TemplateVersionPublishedByType0,
        )

        object_ = self.object_

        id = str(self.id)

        version = self.version

        published_at = self.published_at.isoformat()

        published_by: dict[str, Any] | None
        if isinstance(self.published_by, TemplateVersionPublishedByType0):
            published_by = self.published_by.to_dict()
        else:
            published_by = self.published_by

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "id": id,
                "version": version,
                "published_at": published_at,
                "published_by": published_by,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.template_version_published_by_type_0 import (
            TemplateVersionPublishedByType0,
        )

        d = dict(src_dict)
        object_ = cast(Literal["template_version"], d.pop("object"))
        if object_ != "template_version":
            raise ValueError(f"object must match const 'template_version', got '{object_}'")

        id = UUID(d.pop("id"))

        version = d.pop("version")

        published_at = datetime.datetime.fromisoformat(d.pop("published_at"))

        def _parse_published_by(data: object) -> None | TemplateVersionPublishedByType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                published_by_type_0 = TemplateVersionPublishedByType0.from_dict(data)

                return published_by_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TemplateVersionPublishedByType0, data)

        published_by = _parse_published_by(d.pop("published_by"))

        template_version = cls(
            object_=object_,
            id=id,
            version=version,
            published_at=published_at,
            published_by=published_by,
        )

        template_version.additional_properties = d
        return template_version

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
