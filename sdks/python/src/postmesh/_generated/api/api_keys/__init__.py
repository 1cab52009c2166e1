from __future__ import annotations

import builtins
import datetime
from typing import Any, cast
from uuid import UUID

from ...._resource import AsyncResource, Resource
from ...models.api_key import ApiKey
from ...models.api_key_page import ApiKeyPage
from ...models.api_keys_create_body import ApiKeysCreateBody
from ...models.api_keys_update_body import ApiKeysUpdateBody
from ...models.created_api_key import CreatedApiKey
from ...models.error import Error
from ...models.message import Message
from ...types import UNSET, Unset
from . import (
    api_keys_create,
    api_keys_delete,
    api_keys_get,
    api_keys_list,
    api_keys_update,
)


class ApiKeysOperations(Resource):
    def list(
        self,
        *,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> ApiKeyPage:
        """List API keys

        Every key of the account, without secrets.

        Needs the scope `api-keys:read`.

        """
        return cast(
            "ApiKeyPage",
            self._call(
                api_keys_list,
                account_id=self._account_id,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    def create(
        self,
        *,
        body: ApiKeysCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> CreatedApiKey:
        """Create an API key

        The only response with `secret_key`; a repeated request with the same `Idempotency-Key` gets it
        again for five minutes. The owner and Administrators get a mail about a key with an IP allow list.

        Needs the scope `api-keys:write`.

        Takes an `Idempotency-Key`; a 201 is stored, encrypted, for 5 minutes. An error is not stored and
        holds the key for up to 5 minutes: a corrected request takes a new one.

        """
        return cast(
            "CreatedApiKey",
            self._call(
                api_keys_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def get(
        self,
        key_id: UUID,
    ) -> ApiKey:
        """Get an API key

        Needs the scope `api-keys:read`.

        """
        return cast(
            "ApiKey",
            self._call(
                api_keys_get,
                account_id=self._account_id,
                key_id=key_id,
            ),
        )

    def update(
        self,
        key_id: UUID,
        *,
        body: ApiKeysUpdateBody | dict[str, Any],
    ) -> ApiKey:
        """Change an API key

        Omitted and null fields keep their value. `scopes` and `ip_allow_list` replace the stored ones; an
        empty `ip_allow_list` lifts the restriction. The change applies to the next request with the key.

        Needs the scope `api-keys:write`.

        """
        return cast(
            "ApiKey",
            self._call(
                api_keys_update,
                account_id=self._account_id,
                key_id=key_id,
                body=body,
            ),
        )

    def delete(
        self,
        key_id: UUID,
    ) -> Message:
        """Delete an API key

        The next request with the key is refused. A key may delete itself. Messages that it has sent are
        still delivered.

        Needs the scope `api-keys:delete`.

        """
        return cast(
            "Message",
            self._call(
                api_keys_delete,
                account_id=self._account_id,
                key_id=key_id,
            ),
        )


class AsyncApiKeysOperations(AsyncResource):
    async def list(
        self,
        *,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> ApiKeyPage:
        """List API keys

        Every key of the account, without secrets.

        Needs the scope `api-keys:read`.

        """
        return cast(
            "ApiKeyPage",
            await self._call(
                api_keys_list,
                account_id=self._account_id,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    async def create(
        self,
        *,
        body: ApiKeysCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> CreatedApiKey:
        """Create an API key

        The only response with `secret_key`; a repeated request with the same `Idempotency-Key` gets it
        again for five minutes. The owner and Administrators get a mail about a key with an IP allow list.

        Needs the scope `api-keys:write`.

        Takes an `Idempotency-Key`; a 201 is stored, encrypted, for 5 minutes. An error is not stored and
        holds the key for up to 5 minutes: a corrected request takes a new one.

        """
        return cast(
            "CreatedApiKey",
            await self._call(
                api_keys_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def get(
        self,
        key_id: UUID,
    ) -> ApiKey:
        """Get an API key

        Needs the scope `api-keys:read`.

        """
        return cast(
            "ApiKey",
            await self._call(
                api_keys_get,
                account_id=self._account_id,
                key_id=key_id,
            ),
        )

    async def update(
        self,
        key_id: UUID,
        *,
        body: ApiKeysUpdateBody | dict[str, Any],
    ) -> ApiKey:
        """Change an API key

        Omitted and null fields keep their value. `scopes` and `ip_allow_list` replace the stored ones; an
        empty `ip_allow_list` lifts the restriction. The change applies to the next request with the key.

        Needs the scope `api-keys:write`.

        """
        return cast(
            "ApiKey",
            await self._call(
                api_keys_update,
                account_id=self._account_id,
                key_id=key_id,
                body=body,
            ),
        )

    async def delete(
        self,
        key_id: UUID,
    ) -> Message:
        """Delete an API key

        The next request with the key is refused. A key may delete itself. Messages that it has sent are
        still delivered.

        Needs the scope `api-keys:delete`.

        """
        return cast(
            "Message",
            await self._call(
                api_keys_delete,
                account_id=self._account_id,
                key_id=key_id,
            ),
        )
