from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.lists_put_contact_body_subscription_status_type_1 import (
    ListsPutContactBodySubscriptionStatusType1,
    check_lists_put_contact_body_subscription_status_type_1,
)
from ..models.lists_put_contact_body_subscription_status_type_2_type_1 import (
    ListsPutContactBodySubscriptionStatusType2Type1,
    check_lists_put_contact_body_subscription_status_type_2_type_1,
)
from ..models.lists_put_contact_body_subscription_status_type_3_type_1 import (
    ListsPutContactBodySubscriptionStatusType3Type1,
    check_lists_put_contact_body_subscription_status_type_3_type_1,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="ListsPutContactBody")


@_attrs_define
class ListsPutContactBody:
    """
    Attributes:
        subscription_status (ListsPutContactBodySubscriptionStatusType1 |
            ListsPutContactBodySubscriptionStatusType2Type1 | ListsPutContactBodySubscriptionStatusType3Type1 | None |
            Unset): Omitted or null: a new membership is confirmed, an existing one does not change.
    """

    subscription_status: (
        ListsPutContactBodySubscriptionStatusType1
        | ListsPutContactBodySubscriptionStatusType2Type1
        | ListsPutContactBodySubscriptionStatusType3Type1
        | None
        | Unset
    ) = UNSET

    def to_dict(self) -> dict[str, Any]:
        subscription_status: None | str | Unset
        if isinstance(self.subscription_status, Unset):
            subscription_status = UNSET
        elif (
            isinstance(self.subscription_status, str)
            or isinstance(self.subscription_status, str)
            or isinstance(self.subscription_status, str)
        ):
            subscription_status = self.subscription_status
        else:
            subscription_status = self.subscription_status

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if subscription_status is not UNSET:
            field_dict["subscription_status"] = subscription_status

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)

        def _parse_subscription_status(
            data: object,
        ) -> (
            ListsPutContactBodySubscriptionStatusType1
            | ListsPutContactBodySubscriptionStatusType2Type1
            | ListsPutContactBodySubscriptionStatusType3Type1
            | None
            | Unset
        ):
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                subscription_status_type_1 = check_lists_put_contact_body_subscription_status_type_1(data)

                return subscription_status_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                subscription_status_type_2_type_1 = check_lists_put_contact_body_subscription_status_type_2_type_1(data)

                return subscription_status_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                subscription_status_type_3_type_1 = check_lists_put_contact_body_subscription_status_type_3_type_1(data)

                return subscription_status_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(
                ListsPutContactBodySubscriptionStatusType1
                | ListsPutContactBodySubscriptionStatusType2Type1
                | ListsPutContactBodySubscriptionStatusType3Type1
                | None
                | Unset,
                data,
            )

        subscription_status = _parse_subscription_status(d.pop("subscription_status", UNSET))

        lists_put_contact_body = cls(
            subscription_status=subscription_status,
        )

        return lists_put_contact_body
