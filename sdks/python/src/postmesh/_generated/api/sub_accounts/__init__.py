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

        A full account with its own domains, keys, webhooks and limits. Its keys use its id as `account_id`
        in all other operations.

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

        The usage of each account and its share of the pooled cost: in proportion, rounded to cents so that
        the shares sum to the total. The total includes the usage of deleted sub-accounts.

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

        A new `monthly_credit` applies to the next request, also when it is below the present usage.

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

        Its keys are refused at once, its unsent messages are canceled, its webhooks stop, and other
        accounts can add its domains. Your usage of the month includes its usage.

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

        It may not send, and its unsent messages wait; all other operations work. A sub-account that is
        already suspended stays as it is, with its first reason.

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

        A sub-account that is not suspended is returned unchanged.

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

        A full account with its own domains, keys, webhooks and limits. Its keys use its id as `account_id`
        in all other operations.

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

        The usage of each account and its share of the pooled cost: in proportion, rounded to cents so that
        the shares sum to the total. The total includes the usage of deleted sub-accounts.

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

        A new `monthly_credit` applies to the next request, also when it is below the present usage.

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

        Its keys are refused at once, its unsent messages are canceled, its webhooks stop, and other
        accounts can add its domains. Your usage of the month includes its usage.

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

        It may not send, and its unsent messages wait; all other operations work. A sub-account that is
        already suspended stays as it is, with its first reason.

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

        A sub-account that is not suspended is returned unchanged.

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
