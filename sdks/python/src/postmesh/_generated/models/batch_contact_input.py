from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.batch_contact_input_attributes_type_0 import (
        BatchContactInputAttributesType0,
    )


T = TypeVar("T", bound="BatchContactInput")


@_attrs_define
class BatchContactInput:
    """
    Attributes:
        email (str): Stored trimmed and in lower case; one contact per address.
        first_name (None | str | Unset):
        last_name (None | str | Unset):
        status (None | str | Unset): Only an `enabled` contact is in campaigns. Transactional mail ignores this field.
        status_reason (None | str | Unset):
        unsubscribed (bool | None | Unset): From all campaigns of the account.
        attributes (BatchContactInputAttributesType0 | None | Unset): Values by the keys that are defined for the
            account: texts, finite numbers, booleans, dates (`YYYY-MM-DD`) and timestamps (RFC 3339).
    """

    email: str
    first_name: None | str | Unset = UNSET
    last_name: None | str | Unset = UNSET
    status: None | str | Unset = UNSET
    status_reason: None | str | Unset = UNSET
    unsubscribed: bool | None | Unset = UNSET
    attributes: BatchContactInputAttributesType0 | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.batch_contact_input_attributes_type_0 import (
            BatchContactInputAttributesType0,
        )

        email = self.email

        first_name: None | str | Unset
        if isinstance(self.first_name, Unset):
            first_name = UNSET
        else:
            first_name = self.first_name

        last_name: None | str | Unset
        if isinstance(self.last_name, Unset):
            last_name = UNSET
        else:
            last_name = self.last_name

        status: None | str | Unset
        if isinstance(self.status, Unset):
            status = UNSET
        else:
            status = self.status

        status_reason: None | str | Unset
        if isinstance(self.status_reason, Unset):
            status_reason = UNSET
        else:
            status_reason = self.status_reason

        unsubscribed: bool | None | Unset
        if isinstance(self.unsubscribed, Unset):
            unsubscribed = UNSET
        else:
            unsubscribed = self.unsubscribed

        attributes: dict[str, Any] | None | Unset
        if isinstance(self.attributes, Unset):
            attributes = UNSET
        elif isinstance(self.attributes, BatchContactInputAttributesType0):
            attributes = self.attributes.to_dict()
        else:
            attributes = self.attributes

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "email": email,
            }
        )
        if first_name is not UNSET:
            field_dict["first_name"] = first_name
        if last_name is not UNSET:
            field_dict["last_name"] = last_name
        if status is not UNSET:
            field_dict["status"] = status
        if status_reason is not UNSET:
            field_dict["status_reason"] = status_reason
        if unsubscribed is not UNSET:
            field_dict["unsubscribed"] = unsubscribed
        if attributes is not UNSET:
            field_dict["attributes"] = attributes

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.batch_contact_input_attributes_type_0 import (
            BatchContactInputAttributesType0,
        )

        d = dict(src_dict)
        email = d.pop("email")

        def _parse_first_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        first_name = _parse_first_name(d.pop("first_name", UNSET))

        def _parse_last_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        last_name = _parse_last_name(d.pop("last_name", UNSET))

        def _parse_status(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        status = _parse_status(d.pop("status", UNSET))

        def _parse_status_reason(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        status_reason = _parse_status_reason(d.pop("status_reason", UNSET))

        def _parse_unsubscribed(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        unsubscribed = _parse_unsubscribed(d.pop("unsubscribed", UNSET))

        def _parse_attributes(data: object) -> BatchContactInputAttributesType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                attributes_type_0 = BatchContactInputAttributesType0.from_dict(data)

                return attributes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(BatchContactInputAttributesType0 | None | Unset, data)

        attributes = _parse_attributes(d.pop("attributes", UNSET))

        batch_contact_input = cls(
            email=email,
            first_name=first_name,
            last_name=last_name,
            status=status,
            status_reason=status_reason,
            unsubscribed=unsubscribed,
            attributes=attributes,
        )

        return batch_contact_input
