from __future__ import annotations

import builtins
import datetime
from typing import Any, cast
from uuid import UUID

from ...._resource import AsyncResource, Resource
from ...models.error import Error
from ...models.message import Message
from ...models.suppression_list import SuppressionList
from ...models.suppression_page import SuppressionPage
from ...models.suppressions_create_body import SuppressionsCreateBody
from ...types import UNSET, Unset
from . import (
    suppressions_create,
    suppressions_delete,
    suppressions_list,
    suppressions_wipe,
)


class SuppressionsOperations(Resource):
    def list(
        self,
        *,
        domain: str | Unset = UNSET,
        email: str | Unset = UNSET,
        from_time: datetime.datetime | Unset = UNSET,
        to_time: datetime.datetime | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> SuppressionPage:
        """List suppressions

        Those that still block, newest first. Expired ones are left out.

        Needs the scope `suppressions:read`.

        """
        return cast(
            "SuppressionPage",
            self._call(
                suppressions_list,
                account_id=self._account_id,
                domain=domain,
                email=email,
                from_time=from_time,
                to_time=to_time,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    def create(
        self,
        *,
        body: SuppressionsCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> SuppressionList:
        """Suppress an address

        For one domain, or without `domain` for each that the account has now: one suppression per domain,
        and those
        created are answered. Messages from these domains to the address then end as `Suppressed`, those
        that wait included.

        Needs the scope `suppressions:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "SuppressionList",
            self._call(
                suppressions_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def delete(
        self,
        *,
        email: str,
        domain: str | Unset = UNSET,
    ) -> Message:
        """Lift the suppressions of an address

        The suppressions of one domain, or without `domain` of all of them; protected ones, too.

        Needs the scope `suppressions:delete`.

        """
        return cast(
            "Message",
            self._call(
                suppressions_delete,
                account_id=self._account_id,
                email=email,
                domain=domain,
            ),
        )

    def wipe(
        self,
        *,
        domain: str | Unset = UNSET,
    ) -> Message:
        """Lift all suppressions

        The suppressions of one domain, or without `domain` of all of them, except protected ones; the
        message says how many these are.
        The response comes when all are gone: for a million, allow some minutes. Those that are created
        meanwhile stay.

        Needs the scope `suppressions:wipe`.

        """
        return cast(
            "Message",
            self._call(
                suppressions_wipe,
                account_id=self._account_id,
                domain=domain,
            ),
        )


class AsyncSuppressionsOperations(AsyncResource):
    async def list(
        self,
        *,
        domain: str | Unset = UNSET,
        email: str | Unset = UNSET,
        from_time: datetime.datetime | Unset = UNSET,
        to_time: datetime.datetime | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> SuppressionPage:
        """List suppressions

        Those that still block, newest first. Expired ones are left out.

        Needs the scope `suppressions:read`.

        """
        return cast(
            "SuppressionPage",
            await self._call(
                suppressions_list,
                account_id=self._account_id,
                domain=domain,
                email=email,
                from_time=from_time,
                to_time=to_time,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    async def create(
        self,
        *,
        body: SuppressionsCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> SuppressionList:
        """Suppress an address

        For one domain, or without `domain` for each that the account has now: one suppression per domain,
        and those
        created are answered. Messages from these domains to the address then end as `Suppressed`, those
        that wait included.

        Needs the scope `suppressions:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "SuppressionList",
            await self._call(
                suppressions_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def delete(
        self,
        *,
        email: str,
        domain: str | Unset = UNSET,
    ) -> Message:
        """Lift the suppressions of an address

        The suppressions of one domain, or without `domain` of all of them; protected ones, too.

        Needs the scope `suppressions:delete`.

        """
        return cast(
            "Message",
            await self._call(
                suppressions_delete,
                account_id=self._account_id,
                email=email,
                domain=domain,
            ),
        )

    async def wipe(
        self,
        *,
        domain: str | Unset = UNSET,
    ) -> Message:
        """Lift all suppressions

        The suppressions of one domain, or without `domain` of all of them, except protected ones; the
        message says how many these are.
        The response comes when all are gone: for a million, allow some minutes. Those that are created
        meanwhile stay.

        Needs the scope `suppressions:wipe`.

        """
        return cast(
            "Message",
            await self._call(
                suppressions_wipe,
                account_id=self._account_id,
                domain=domain,
            ),
        )
