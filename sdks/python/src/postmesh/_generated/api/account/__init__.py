from __future__ import annotations

import builtins
import datetime
from typing import Any, cast
from uuid import UUID

from ...._resource import AsyncResource, Resource
from ...models.account import Account
from ...models.account_update_body import AccountUpdateBody
from ...models.error import Error
from ...types import UNSET, Unset
from . import account_get, account_update


class AccountOperations(Resource):
    def get(
        self,
    ) -> Account:
        """Get the account

        Needs the scope `accounts:read`.

        """
        return cast(
            "Account",
            self._call(
                account_get,
                account_id=self._account_id,
            ),
        )

    def update(
        self,
        *,
        body: AccountUpdateBody | dict[str, Any],
    ) -> Account:
        """Change the account

        Omitted and null fields keep their value; `{}` changes nothing. Defaults for tracking, recipient
        shields and retention apply to messages that are accepted afterwards.

        Needs the scope `accounts:write`.

        """
        return cast(
            "Account",
            self._call(
                account_update,
                account_id=self._account_id,
                body=body,
            ),
        )


class AsyncAccountOperations(AsyncResource):
    async def get(
        self,
    ) -> Account:
        """Get the account

        Needs the scope `accounts:read`.

        """
        return cast(
            "Account",
            await self._call(
                account_get,
                account_id=self._account_id,
            ),
        )

    async def update(
        self,
        *,
        body: AccountUpdateBody | dict[str, Any],
    ) -> Account:
        """Change the account

        Omitted and null fields keep their value; `{}` changes nothing. Defaults for tracking, recipient
        shields and retention apply to messages that are accepted afterwards.

        Needs the scope `accounts:write`.

        """
        return cast(
            "Account",
            await self._call(
                account_update,
                account_id=self._account_id,
                body=body,
            ),
        )
