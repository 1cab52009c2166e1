from __future__ import annotations

import builtins
import datetime
from typing import Any, cast
from uuid import UUID

from ...._resource import AsyncResource, Resource
from ...models.error import Error
from ...models.member import Member
from ...models.member_list import MemberList
from ...models.members_add_body import MembersAddBody
from ...models.members_update_body import MembersUpdateBody
from ...models.message import Message
from ...types import UNSET, Unset
from . import members_add, members_list, members_remove, members_update


class MembersOperations(Resource):
    def list(
        self,
    ) -> MemberList:
        """List members

        All members with the owner, oldest first, without pages.

        Needs the scope `accounts:members:read`.

        """
        return cast(
            "MemberList",
            self._call(
                members_list,
                account_id=self._account_id,
            ),
        )

    def add(
        self,
        *,
        body: MembersAddBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> Member:
        """Add a member

        An address without a user gets one, and an invitation by mail; an existing user gets a notice. The
        membership is in effect at once. `name` is used for new users only.

        Needs the scope `accounts:members:add`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Member",
            self._call(
                members_add,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def update(
        self,
        user_id: UUID,
        *,
        body: MembersUpdateBody | dict[str, Any],
    ) -> Member:
        """Give a member another role

        Needs the scope `accounts:members:update`.

        """
        return cast(
            "Member",
            self._call(
                members_update,
                account_id=self._account_id,
                user_id=user_id,
                body=body,
            ),
        )

    def remove(
        self,
        user_id: UUID,
    ) -> Message:
        """Remove a member

        A removed member can be added again.

        Needs the scope `accounts:members:remove`.

        """
        return cast(
            "Message",
            self._call(
                members_remove,
                account_id=self._account_id,
                user_id=user_id,
            ),
        )


class AsyncMembersOperations(AsyncResource):
    async def list(
        self,
    ) -> MemberList:
        """List members

        All members with the owner, oldest first, without pages.

        Needs the scope `accounts:members:read`.

        """
        return cast(
            "MemberList",
            await self._call(
                members_list,
                account_id=self._account_id,
            ),
        )

    async def add(
        self,
        *,
        body: MembersAddBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> Member:
        """Add a member

        An address without a user gets one, and an invitation by mail; an existing user gets a notice. The
        membership is in effect at once. `name` is used for new users only.

        Needs the scope `accounts:members:add`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Member",
            await self._call(
                members_add,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def update(
        self,
        user_id: UUID,
        *,
        body: MembersUpdateBody | dict[str, Any],
    ) -> Member:
        """Give a member another role

        Needs the scope `accounts:members:update`.

        """
        return cast(
            "Member",
            await self._call(
                members_update,
                account_id=self._account_id,
                user_id=user_id,
                body=body,
            ),
        )

    async def remove(
        self,
        user_id: UUID,
    ) -> Message:
        """Remove a member

        A removed member can be added again.

        Needs the scope `accounts:members:remove`.

        """
        return cast(
            "Message",
            await self._call(
                members_remove,
                account_id=self._account_id,
                user_id=user_id,
            ),
        )
