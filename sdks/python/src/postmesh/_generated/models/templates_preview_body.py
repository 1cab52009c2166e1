from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.templates_preview_body_substitutions_type_0 import (
        TemplatesPreviewBodySubstitutionsType0,
    )


T = TypeVar("T", bound="TemplatesPreviewBody")


@_attrs_define
class TemplatesPreviewBody:
    """
    Attributes:
        published (bool | None | Unset): true: the published copy, also when there is a draft.
        email (None | str | Unset): The recipient; `recipient@example.com` when left out.
        substitutions (None | TemplatesPreviewBodySubstitutionsType0 | Unset): Values of variables: any JSON.
    """

    published: bool | None | Unset = UNSET
    email: None | str | Unset = UNSET
    substitutions: None | TemplatesPreviewBodySubstitutionsType0 | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.templates_preview_body_substitutions_type_0 import (
            TemplatesPreviewBodySubstitutionsType0,
        )

        published: bool | None | Unset
        if isinstance(self.published, Unset):
            published = UNSET
        else:
            published = self.published

        email: None | str | Unset
        if isinstance(self.email, Unset):
            email = UNSET
        else:
            email = self.email

        substitutions: dict[str, Any] | None | Unset
        if isinstance(self.substitutions, Unset):
            substitutions = UNSET
        elif isinstance(self.substitutions, TemplatesPreviewBodySubstitutionsType0):
            substitutions = self.substitutions.to_dict()
        else:
            substitutions = self.substitutions

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if published is not UNSET:
            field_dict["published"] = published
        if email is not UNSET:
            field_dict["email"] = email
        if substitutions is not UNSET:
            field_dict["substitutions"] = substitutions

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.templates_preview_body_substitutions_type_0 import (
            TemplatesPreviewBodySubstitutionsType0,
        )

        d = dict(src_dict)

        def _parse_published(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        published = _parse_published(d.pop("published", UNSET))

        def _parse_email(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        email = _parse_email(d.pop("email", UNSET))

        def _parse_substitutions(data: object) -> None | TemplatesPreviewBodySubstitutionsType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                substitutions_type_0 = TemplatesPreviewBodySubstitutionsType0.from_dict(data)

                return substitutions_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TemplatesPreviewBodySubstitutionsType0 | Unset, data)

        substitutions = _parse_substitutions(d.pop("substitutions", UNSET))

        templates_preview_body = cls(
            published=published,
            email=email,
            substitutions=substitutions,
        )

        return templates_preview_body
