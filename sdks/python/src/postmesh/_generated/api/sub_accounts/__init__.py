from __future__ import annotations

import builtins
import datetime
from typing import Any, cast
from uuid import UUID

from ...._resource import AsyncResource, Resource
from ...models.domain import Domain
from ...models.error import Error
from ...models.message import Message
from ...models.sub_account import SubAccount
from ...models.sub_account_page import SubAccountPage
from ...models.sub_account_usage import SubAccountUsage
from ...models.sub_accounts_create_body import SubAccountsCreateBody
from ...models.sub_accounts_suspend_body import SubAccountsSuspendBody
from ...models.sub_accounts_update_body import SubAccountsUpdateBody
from ...types import UNSET, Unset
from . import (
    sub_accounts_create,
    sub_accounts_delete,
    sub_accounts_get,
    sub_accounts_list,
    sub_accounts_suspend,
    sub_accounts_unpause_domain,
    sub_accounts_unsuspend,
    sub_accounts_update,
    sub_accounts_usage,
)


class SubAccountsOperations(Resource):
    def list(
        self,
        *,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> SubAccountPage:
        """List sub-accounts

        Needs the scope `sub-accounts:read`.

        """
        return cast(
            "SubAccountPage",
            self._call(
                sub_accounts_list,
                account_id=self._account_id,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    def create(
        self,
        *,
        body: SubAccountsCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> SubAccount:
        """Create a sub-account

        A full account: with domains, keys, webhooks and limits of its own. A key of it uses its id as
        `account_id` everywhere else.

        Needs the scope `sub-accounts:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "SubAccount",
            self._call(
                sub_accounts_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def usage(
        self,
    ) -> SubAccountUsage:
        """Get the usage of the current month

        Who sent how much, and how the pooled cost is shared: in proportion, rounded to cents so that the
        parts sum to the total. What deleted sub-accounts used stays in the total.

        Needs the scope `sub-accounts:usage`.

        """
        return cast(
            "SubAccountUsage",
            self._call(
                sub_accounts_usage,
                account_id=self._account_id,
            ),
        )

    def get(
        self,
        sub_account_id: UUID,
    ) -> SubAccount:
        """Get a sub-account

        Needs the scope `sub-accounts:read`.

        """
        return cast(
            "SubAccount",
            self._call(
                sub_accounts_get,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
            ),
        )

    def update(
        self,
        sub_account_id: UUID,
        *,
        body: SubAccountsUpdateBody | dict[str, Any],
    ) -> SubAccount:
        """Change a sub-account

        A new `monthly_credit` counts in the next request, also one below what was sent already.

        Needs the scope `sub-accounts:write`.

        """
        return cast(
            "SubAccount",
            self._call(
                sub_accounts_update,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
                body=body,
            ),
        )

    def delete(
        self,
        sub_account_id: UUID,
    ) -> Message:
        """Delete a sub-account

        Its keys are refused at once, what it has not sent is canceled, its webhooks stop and its domains
        are free for others. Its usage of the month stays in yours.

        Needs the scope `sub-accounts:delete`.

        """
        return cast(
            "Message",
            self._call(
                sub_accounts_delete,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
            ),
        )

    def suspend(
        self,
        sub_account_id: UUID,
        *,
        body: SubAccountsSuspendBody | dict[str, Any],
    ) -> SubAccount:
        """Suspend a sub-account

        It may not send, and what it has not sent waits; everything else works. Of one that is suspended
        already nothing changes, the first reason stays.

        Needs the scope `sub-accounts:suspend`.

        """
        return cast(
            "SubAccount",
            self._call(
                sub_accounts_suspend,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
                body=body,
            ),
        )

    def unsuspend(
        self,
        sub_account_id: UUID,
    ) -> SubAccount:
        """End the suspension of a sub-account

        One that is not suspended is answered as it is.

        Needs the scope `sub-accounts:suspend`.

        """
        return cast(
            "SubAccount",
            self._call(
                sub_accounts_unsuspend,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
            ),
        )

    def unpause_domain(
        self,
        sub_account_id: UUID,
        domain: str,
    ) -> Domain:
        """Let a sub-account send from a paused domain again

        A domain that is not paused is answered as it is. Sends are taken again at once.

        Needs the scope `sub-accounts:suspend`.

        """
        return cast(
            "Domain",
            self._call(
                sub_accounts_unpause_domain,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
                domain=domain,
            ),
        )


class AsyncSubAccountsOperations(AsyncResource):
    async def list(
        self,
        *,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> SubAccountPage:
        """List sub-accounts

        Needs the scope `sub-accounts:read`.

        """
        return cast(
            "SubAccountPage",
            await self._call(
                sub_accounts_list,
                account_id=self._account_id,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    async def create(
        self,
        *,
        body: SubAccountsCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> SubAccount:
        """Create a sub-account

        A full account: with domains, keys, webhooks and limits of its own. A key of it uses its id as
        `account_id` everywhere else.

        Needs the scope `sub-accounts:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "SubAccount",
            await self._call(
                sub_accounts_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def usage(
        self,
    ) -> SubAccountUsage:
        """Get the usage of the current month

        Who sent how much, and how the pooled cost is shared: in proportion, rounded to cents so that the
        parts sum to the total. What deleted sub-accounts used stays in the total.

        Needs the scope `sub-accounts:usage`.

        """
        return cast(
            "SubAccountUsage",
            await self._call(
                sub_accounts_usage,
                account_id=self._account_id,
            ),
        )

    async def get(
        self,
        sub_account_id: UUID,
    ) -> SubAccount:
        """Get a sub-account

        Needs the scope `sub-accounts:read`.

        """
        return cast(
            "SubAccount",
            await self._call(
                sub_accounts_get,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
            ),
        )

    async def update(
        self,
        sub_account_id: UUID,
        *,
        body: SubAccountsUpdateBody | dict[str, Any],
    ) -> SubAccount:
        """Change a sub-account

        A new `monthly_credit` counts in the next request, also one below what was sent already.

        Needs the scope `sub-accounts:write`.

        """
        return cast(
            "SubAccount",
            await self._call(
                sub_accounts_update,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
                body=body,
            ),
        )

    async def delete(
        self,
        sub_account_id: UUID,
    ) -> Message:
        """Delete a sub-account

        Its keys are refused at once, what it has not sent is canceled, its webhooks stop and its domains
        are free for others. Its usage of the month stays in yours.

        Needs the scope `sub-accounts:delete`.

        """
        return cast(
            "Message",
            await self._call(
                sub_accounts_delete,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
            ),
        )

    async def suspend(
        self,
        sub_account_id: UUID,
        *,
        body: SubAccountsSuspendBody | dict[str, Any],
    ) -> SubAccount:
        """Suspend a sub-account

        It may not send, and what it has not sent waits; everything else works. Of one that is suspended
        already nothing changes, the first reason stays.

        Needs the scope `sub-accounts:suspend`.

        """
        return cast(
            "SubAccount",
            await self._call(
                sub_accounts_suspend,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
                body=body,
            ),
        )

    async def unsuspend(
        self,
        sub_account_id: UUID,
    ) -> SubAccount:
        """End the suspension of a sub-account

        One that is not suspended is answered as it is.

        Needs the scope `sub-accounts:suspend`.

        """
        return cast(
            "SubAccount",
            await self._call(
                sub_accounts_unsuspend,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
            ),
        )

    async def unpause_domain(
        self,
        sub_account_id: UUID,
        domain: str,
    ) -> Domain:
        """Let a sub-account send from a paused domain again

        A domain that is not paused is answered as it is. Sends are taken again at once.

        Needs the scope `sub-accounts:suspend`.

        """
        return cast(
            "Domain",
            await self._call(
                sub_accounts_unpause_domain,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
                domain=domain,
            ),
        )
