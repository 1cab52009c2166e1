from __future__ import annotations

import builtins
import datetime
from typing import Any, cast
from uuid import UUID

from ...._resource import AsyncResource, Resource
from ...models.error import Error
from ...models.message import Message
from ...models.new_smtp_credential import NewSmtpCredential
from ...models.smtp_credential import SmtpCredential
from ...models.smtp_credential_page import SmtpCredentialPage
from ...models.smtp_credentials_create_body import SmtpCredentialsCreateBody
from ...types import UNSET, Unset
from . import (
    smtp_credentials_create,
    smtp_credentials_delete,
    smtp_credentials_get,
    smtp_credentials_list,
)


class SmtpCredentialsOperations(Resource):
    def list(
        self,
        *,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> SmtpCredentialPage:
        """List SMTP credentials

        Without passwords. A key with domain scopes sees the credentials with one of its domains, and no
        global ones.

        Needs the scope `smtp-credentials:read:all`, or `smtp-credentials:read:{domain}` for the domain that
        it is about.

        """
        return cast(
            "SmtpCredentialPage",
            self._call(
                smtp_credentials_list,
                account_id=self._account_id,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    def create(
        self,
        *,
        body: SmtpCredentialsCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> NewSmtpCredential:
        """Create an SMTP credential

        The only response with `password`. A global credential needs the scope for all domains; a scoped one
        the scope for each domain that it lists, 1000 at most. It can log in at once. An account can have
        1000 of them. There is no change: make another one and delete the first.

        Needs the scope `smtp-credentials:write:all`, or `smtp-credentials:write:{domain}` for the domain
        that it is about.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "NewSmtpCredential",
            self._call(
                smtp_credentials_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def get(
        self,
        smtp_credential_id: UUID,
    ) -> SmtpCredential:
        """Get an SMTP credential

        Needs the scope `smtp-credentials:read:all`, or `smtp-credentials:read:{domain}` for the domain that
        it is about.

        """
        return cast(
            "SmtpCredential",
            self._call(
                smtp_credentials_get,
                account_id=self._account_id,
                smtp_credential_id=smtp_credential_id,
            ),
        )

    def delete(
        self,
        smtp_credential_id: UUID,
    ) -> Message:
        """Delete an SMTP credential

        The next login is refused, and an open session ends with its next message.

        Needs the scope `smtp-credentials:delete:all`, or `smtp-credentials:delete:{domain}` for the domain
        that it is about.

        """
        return cast(
            "Message",
            self._call(
                smtp_credentials_delete,
                account_id=self._account_id,
                smtp_credential_id=smtp_credential_id,
            ),
        )


class AsyncSmtpCredentialsOperations(AsyncResource):
    async def list(
        self,
        *,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> SmtpCredentialPage:
        """List SMTP credentials

        Without passwords. A key with domain scopes sees the credentials with one of its domains, and no
        global ones.

        Needs the scope `smtp-credentials:read:all`, or `smtp-credentials:read:{domain}` for the domain that
        it is about.

        """
        return cast(
            "SmtpCredentialPage",
            await self._call(
                smtp_credentials_list,
                account_id=self._account_id,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    async def create(
        self,
        *,
        body: SmtpCredentialsCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> NewSmtpCredential:
        """Create an SMTP credential

        The only response with `password`. A global credential needs the scope for all domains; a scoped one
        the scope for each domain that it lists, 1000 at most. It can log in at once. An account can have
        1000 of them. There is no change: make another one and delete the first.

        Needs the scope `smtp-credentials:write:all`, or `smtp-credentials:write:{domain}` for the domain
        that it is about.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "NewSmtpCredential",
            await self._call(
                smtp_credentials_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def get(
        self,
        smtp_credential_id: UUID,
    ) -> SmtpCredential:
        """Get an SMTP credential

        Needs the scope `smtp-credentials:read:all`, or `smtp-credentials:read:{domain}` for the domain that
        it is about.

        """
        return cast(
            "SmtpCredential",
            await self._call(
                smtp_credentials_get,
                account_id=self._account_id,
                smtp_credential_id=smtp_credential_id,
            ),
        )

    async def delete(
        self,
        smtp_credential_id: UUID,
    ) -> Message:
        """Delete an SMTP credential

        The next login is refused, and an open session ends with its next message.

        Needs the scope `smtp-credentials:delete:all`, or `smtp-credentials:delete:{domain}` for the domain
        that it is about.

        """
        return cast(
            "Message",
            await self._call(
                smtp_credentials_delete,
                account_id=self._account_id,
                smtp_credential_id=smtp_credential_id,
            ),
        )
