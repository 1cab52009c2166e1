from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.campaigns_preview_body_substitutions_type_0 import (
        CampaignsPreviewBodySubstitutionsType0,
    )


T = TypeVar("T", bound="CampaignsPreviewBody")


@_attrs_define
class CampaignsPreviewBody:
    """
    Attributes:
        contact (None | str | Unset): Id or address of the contact whose values are used.
        substitutions (CampaignsPreviewBodySubstitutionsType0 | None | Unset): Values with precedence over those of the
            contact.
    """

    contact: None | str | Unset = UNSET
    substitutions: CampaignsPreviewBodySubstitutionsType0 | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.campaigns_preview_body_substitutions_type_0 import (
            CampaignsPreviewBodySubstitutionsType0,
        )

        contact: None | str | Unset
        if isinstance(self.contact, Unset):
            contact = UNSET
        else:
            contact = self.contact

        substitutions: dict[str, Any] | None | Unset
        if isinstance(self.substitutions, Unset):
            substitutions = UNSET
        elif isinstance(self.substitutions, CampaignsPreviewBodySubstitutionsType0):
            substitutions = self.substitutions.to_dict()
        else:
            substitutions = self.substitutions

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if contact is not UNSET:
            field_dict["contact"] = contact
        if substitutions is not UNSET:
            field_dict["substitutions"] = substitutions

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.campaigns_preview_body_substitutions_type_0 import (
            CampaignsPreviewBodySubstitutionsType0,
        )

        d = dict(src_dict)

        def _parse_contact(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        contact = _parse_contact(d.pop("contact", UNSET))

        def _parse_substitutions(data: object) -> CampaignsPreviewBodySubstitutionsType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                substitutions_type_0 = CampaignsPreviewBodySubstitutionsType0.from_dict(data)

                return substitutions_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(CampaignsPreviewBodySubstitutionsType0 | None | Unset, data)

        substitutions = _parse_substitutions(d.pop("substitutions", UNSET))

        campaigns_preview_body = cls(
            contact=contact,
            substitutions=substitutions,
        )

        return campaigns_preview_body
