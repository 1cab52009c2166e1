from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.campaign_templates_update_body_content import (
        CampaignTemplatesUpdateBodyContent,
    )


T = TypeVar("T", bound="CampaignTemplatesUpdateBody")


@_attrs_define
class CampaignTemplatesUpdateBody:
    """
    Attributes:
        name (str | Unset):
        content (CampaignTemplatesUpdateBodyContent | Unset): One of `mjml` and `html`, or `text`, or one of the former
            with it. `text: null` makes the text from the HTML.
    """

    name: str | Unset = UNSET
    content: CampaignTemplatesUpdateBodyContent | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        content: dict[str, Any] | Unset = UNSET
        if not isinstance(self.content, Unset):
            content = self.content.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if name is not UNSET:
            field_dict["name"] = name
        if content is not UNSET:
            field_dict["content"] = content

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.campaign_templates_update_body_content import (
            CampaignTemplatesUpdateBodyContent,
        )

        d = dict(src_dict)
        name = d.pop("name", UNSET)

        _content = d.pop("content", UNSET)
        content: CampaignTemplatesUpdateBodyContent | Unset
        if isinstance(_content, Unset):
            content = UNSET
        else:
            content = CampaignTemplatesUpdateBodyContent.from_dict(_content)

        campaign_templates_update_body = cls(
            name=name,
            content=content,
        )

        return campaign_templates_update_body
