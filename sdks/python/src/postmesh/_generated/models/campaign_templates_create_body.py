from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.campaign_templates_create_body_content import (
        CampaignTemplatesCreateBodyContent,
    )


T = TypeVar("T", bound="CampaignTemplatesCreateBody")


@_attrs_define
class CampaignTemplatesCreateBody:
    """
    Attributes:
        name (str):
        content (CampaignTemplatesCreateBodyContent): With `mjml` or `html`, which sets the editor.
    """

    name: str
    content: CampaignTemplatesCreateBodyContent

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        content = self.content.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "content": content,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.campaign_templates_create_body_content import (
            CampaignTemplatesCreateBodyContent,
        )

        d = dict(src_dict)
        name = d.pop("name")

        content = CampaignTemplatesCreateBodyContent.from_dict(d.pop("content"))

        campaign_templates_create_body = cls(
            name=name,
            content=content,
        )

        return campaign_templates_create_body
