from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.messages_send_template_body_recipients_item_substitutions_type_0 import (
        MessagesSendTemplateBodyRecipientsItemSubstitutionsType0,
    )


T = TypeVar("T", bound="MessagesSendTemplateBodyRecipientsItem")


@_attrs_define
class MessagesSendTemplateBodyRecipientsItem:
    """
    Attributes:
        email (str): Trimmed and lower-cased.
        name (None | str | Unset):
        substitutions (MessagesSendTemplateBodyRecipientsItemSubstitutionsType0 | None | Unset): Values of variables:
            any JSON.
    """

    email: str
    name: None | str | Unset = UNSET
    substitutions: MessagesSendTemplateBodyRecipientsItemSubstitutionsType0 | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.messages_send_template_body_recipients_item_substitutions_type_0 import (
            MessagesSendTemplateBodyRecipientsItemSubstitutionsType0,
        )

        email = self.email

        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        substitutions: dict[str, Any] | None | Unset
        if isinstance(self.substitutions, Unset):
            substitutions = UNSET
        elif isinstance(self.substitutions, MessagesSendTemplateBodyRecipientsItemSubstitutionsType0):
            substitutions = self.substitutions.to_dict()
        else:
            substitutions = self.substitutions

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "email": email,
            }
        )
        if name is not UNSET:
            field_dict["name"] = name
        if substitutions is not UNSET:
            field_dict["substitutions"] = substitutions

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.messages_send_template_body_recipients_item_substitutions_type_0 import (
            MessagesSendTemplateBodyRecipientsItemSubstitutionsType0,
        )

        d = dict(src_dict)
        email = d.pop("email")

        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))

        def _parse_substitutions(data: object) -> MessagesSendTemplateBodyRecipientsItemSubstitutionsType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                substitutions_type_0 = MessagesSendTemplateBodyRecipientsItemSubstitutionsType0.from_dict(data)

                return substitutions_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessagesSendTemplateBodyRecipientsItemSubstitutionsType0 | None | Unset, data)

        substitutions = _parse_substitutions(d.pop("substitutions", UNSET))

        messages_send_template_body_recipients_item = cls(
            email=email,
            name=name,
            substitutions=substitutions,
        )

        return messages_send_template_body_recipients_item
