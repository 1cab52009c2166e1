from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    Self,
    TypeVar,
    cast,
)
from uuid import UUID

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="SubAccount")


@_attrs_define
class SubAccount:
    """An account that belongs to another one.

    Attributes:
        object_ (Literal['sub_account']):
        id (UUID): The account id of the sub-account.
        parent_account_id (UUID):
        created_at (datetime.datetime):
        name (str):
        website (str): A bare domain.
        status (str): `suspended`: by you or by the operator; `parent-suspended`: because you are suspended. A `deleted`
            one is never returned.
        monthly_credit (int): Messages that it may send per calendar month (UTC), one per recipient, sandbox not
            counted; 0 = no cap.
        domain_count (int): Domains that it owns now.
        member_count (int): Its direct members; none after a create through the API.
        last_activity_at (datetime.datetime | None): When a message of it was last accepted, sandbox not counted.
    """

    object_: Literal["sub_account"]
    id: UUID
    parent_account_id: UUID
    created_at: datetime.datetime
    name: str
    website: str
    status: str
    monthly_credit: int
    domain_count: int
    member_count: int
    last_activity_at: datetime.datetime | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        object_ = self.object_

        id = str(self.id)

        parent_account_id = str(self.parent_account_id)

        created_at = self.created_at.isoformat()

        name = self.name

        website = self.website

        status = self.status

        monthly_credit = self.monthly_credit

        domain_count = self.domain_count

        member_count = self.member_count

        last_activity_at: None | str
        if isinstance(self.last_activity_at, datetime.datetime):
            last_activity_at = self.last_activity_at.isoformat()
        else:
            last_activity_at = self.last_activity_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "object": object_,
                "id": id,
                "parent_account_id": parent_account_id,
                "created_at": created_at,
                "name": name,
                "website": website,
                "status": status,
                "monthly_credit": monthly_credit,
                "domain_count": domain_count,
                "member_count": member_count,
                "last_activity_at": last_activity_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        object_ = cast(Literal["sub_account"], d.pop("object"))
        if object_ != "sub_account":
            raise ValueError(f"object must match const 'sub_account', got '{object_}'")

        id = UUID(d.pop("id"))

        parent_account_id = UUID(d.pop("parent_account_id"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        name = d.pop("name")

        website = d.pop("website")

        status = d.pop("status")

        monthly_credit = d.pop("monthly_credit")

        domain_count = d.pop("domain_count")

        member_count = d.pop("member_count")

        def _parse_last_activity_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_activity_at_type_0 = datetime.datetime.fromisoformat(data)

                return last_activity_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        last_activity_at = _parse_last_activity_at(d.pop("last_activity_at"))

        sub_account = cls(
            object_=object_,
            id=id,
            parent_account_id=parent_account_id,
            created_at=created_at,
            name=name,
            website=website,
            status=status,
            monthly_credit=monthly_credit,
            domain_count=domain_count,
            member_count=member_count,
            last_activity_at=last_activity_at,
        )

        sub_account.additional_properties = d
        return sub_account

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
