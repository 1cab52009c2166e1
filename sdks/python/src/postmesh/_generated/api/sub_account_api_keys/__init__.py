from __future__ import annotations

import builtins
import datetime
from typing import Any, cast
from uuid import UUID

from ...._resource import AsyncResource, Resource
from ...models.api_key import ApiKey
from ...models.api_key_page import ApiKeyPage
from ...models.created_api_key import CreatedApiKey
from ...models.error import Error
from ...models.message import Message
from ...models.sub_account_api_keys_create_body import SubAccountApiKeysCreateBody
from ...models.sub_account_api_keys_update_body import SubAccountApiKeysUpdateBody
from ...types import UNSET, Unset
from . import (
    sub_account_api_keys_create,
    sub_account_api_keys_delete,
    sub_account_api_keys_get,
    sub_account_api_keys_list,
    sub_account_api_keys_update,
)


class SubAccountApiKeysOperations(Resource):
    def list(
        self,
        sub_account_id: UUID,
        *,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> ApiKeyPage:
        """List the API keys of a sub-account

        Needs the scope `sub-account-api-keys:read`.

        """
        return cast(
            "ApiKeyPage",
            self._call(
                sub_account_api_keys_list,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    def create(
        self,
        sub_account_id: UUID,
        *,
        body: SubAccountApiKeysCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> CreatedApiKey:
        """Create an API key for a sub-account

        The only response with `secret_key`; a repeated request with the same `Idempotency-Key` gets it
        again for five minutes. Domain scopes name domains of the sub-account.

        Needs the scope `sub-account-api-keys:write`.

        Takes an `Idempotency-Key`; a 201 is stored, encrypted, for 5 minutes. An error is not stored and
        holds the key for up to 5 minutes: a corrected request takes a new one.

        """
        return cast(
            "CreatedApiKey",
            self._call(
                sub_account_api_keys_create,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def get(
        self,
        sub_account_id: UUID,
        key_id: UUID,
    ) -> ApiKey:
        """Get an API key of a sub-account

        Needs the scope `sub-account-api-keys:read`.

        """
        return cast(
            "ApiKey",
            self._call(
                sub_account_api_keys_get,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
                key_id=key_id,
            ),
        )

    def update(
        self,
        sub_account_id: UUID,
        key_id: UUID,
        *,
        body: SubAccountApiKeysUpdateBody | dict[str, Any],
    ) -> ApiKey:
        """Change an API key of a sub-account

        `scopes` and `ip_allow_list` replace the stored ones. The change applies to the next request with
        the key.

        Needs the scope `sub-account-api-keys:write`.

        """
        return cast(
            "ApiKey",
            self._call(
                sub_account_api_keys_update,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
                key_id=key_id,
                body=body,
            ),
        )

    def delete(
        self,
        sub_account_id: UUID,
        key_id: UUID,
    ) -> Message:
        """Delete an API key of a sub-account

        The next request with the key is refused. Messages that it has sent are still delivered.

        Needs the scope `sub-account-api-keys:delete`.

        """
        return cast(
            "Message",
            self._call(
                sub_account_api_keys_delete,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
                key_id=key_id,
            ),
        )


class AsyncSubAccountApiKeysOperations(AsyncResource):
    async def list(
        self,
        sub_account_id: UUID,
        *,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> ApiKeyPage:
        """List the API keys of a sub-account

        Needs the scope `sub-account-api-keys:read`.

        """
        return cast(
            "ApiKeyPage",
            await self._call(
                sub_account_api_keys_list,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    async def create(
        self,
        sub_account_id: UUID,
        *,
        body: SubAccountApiKeysCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> CreatedApiKey:
        """Create an API key for a sub-account

        The only response with `secret_key`; a repeated request with the same `Idempotency-Key` gets it
        again for five minutes. Domain scopes name domains of the sub-account.

        Needs the scope `sub-account-api-keys:write`.

        Takes an `Idempotency-Key`; a 201 is stored, encrypted, for 5 minutes. An error is not stored and
        holds the key for up to 5 minutes: a corrected request takes a new one.

        """
        return cast(
            "CreatedApiKey",
            await self._call(
                sub_account_api_keys_create,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def get(
        self,
        sub_account_id: UUID,
        key_id: UUID,
    ) -> ApiKey:
        """Get an API key of a sub-account

        Needs the scope `sub-account-api-keys:read`.

        """
        return cast(
            "ApiKey",
            await self._call(
                sub_account_api_keys_get,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
                key_id=key_id,
            ),
        )

    async def update(
        self,
        sub_account_id: UUID,
        key_id: UUID,
        *,
        body: SubAccountApiKeysUpdateBody | dict[str, Any],
    ) -> ApiKey:
        """Change an API key of a sub-account

        `scopes` and `ip_allow_list` replace the stored ones. The change applies to the next request with
        the key.

        Needs the scope `sub-account-api-keys:write`.

        """
        return cast(
            "ApiKey",
            await self._call(
                sub_account_api_keys_update,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
                key_id=key_id,
                body=body,
            ),
        )

    async def delete(
        self,
        sub_account_id: UUID,
        key_id: UUID,
    ) -> Message:
        """Delete an API key of a sub-account

        The next request with the key is refused. Messages that it has sent are still delivered.

        Needs the scope `sub-account-api-keys:delete`.

        """
        return cast(
            "Message",
            await self._call(
                sub_account_api_keys_delete,
                account_id=self._account_id,
                sub_account_id=sub_account_id,
                key_id=key_id,
            ),
        )
