from __future__ import annotations

import builtins
import datetime
from typing import Any, cast
from uuid import UUID

from ...._resource import AsyncResource, Resource
from ...models.domain import Domain
from ...models.domain_page import DomainPage
from ...models.domains_create_body import DomainsCreateBody
from ...models.domains_list_sending_type import (
    DomainsListSendingType,
    check_domains_list_sending_type,
)
from ...models.domains_update_body import DomainsUpdateBody
from ...models.error import Error
from ...models.message import Message
from ...types import UNSET, Unset
from . import (
    domains_check_dns,
    domains_create,
    domains_delete,
    domains_get,
    domains_list,
    domains_update,
)


class DomainsOperations(Resource):
    def list(
        self,
        *,
        dns_valid: bool | Unset = UNSET,
        sending_type: DomainsListSendingType | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> DomainPage:
        """List domains

        Needs the scope `domains:read`.

        """
        return cast(
            "DomainPage",
            self._call(
                domains_list,
                account_id=self._account_id,
                dns_valid=dns_valid,
                sending_type=sending_type,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    def create(
        self,
        *,
        body: DomainsCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> Domain:
        """Add a domain

        The answer lists the DNS records to publish; until they are seen, `dns_valid` is false and nothing
        can be sent from the domain.

        Needs the scope `domains:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Domain",
            self._call(
                domains_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def get(
        self,
        domain: str,
    ) -> Domain:
        """Get a domain

        Needs the scope `domains:read`.

        """
        return cast(
            "Domain",
            self._call(
                domains_get,
                account_id=self._account_id,
                domain=domain,
            ),
        )

    def update(
        self,
        domain: str,
        *,
        body: DomainsUpdateBody | dict[str, Any],
    ) -> Domain:
        """Update a domain

        A field that is left out, or null, keeps its value; an empty subdomain or selector is the default
        again. Nothing is stored when a field is refused. A new `dkim_private_key` signs once its record is
        seen; until then the old one does.

        Needs the scope `domains:write`.

        """
        return cast(
            "Domain",
            self._call(
                domains_update,
                account_id=self._account_id,
                domain=domain,
                body=body,
            ),
        )

    def delete(
        self,
        domain: str,
    ) -> Message:
        """Delete a domain

        Scopes of keys that are granted for the domain go with it.

        Needs the scope `domains:delete:all`, or `domains:delete:{domain}` for the domain that it is about.

        """
        return cast(
            "Message",
            self._call(
                domains_delete,
                account_id=self._account_id,
                domain=domain,
            ),
        )

    def check_dns(
        self,
        domain: str,
    ) -> Domain:
        """Check the DNS records of a domain

        Looks the records up now and answers the domain as it is after that. A check less than a minute ago
        is answered again without a look-up.

        Needs the scope `domains:write`.

        """
        return cast(
            "Domain",
            self._call(
                domains_check_dns,
                account_id=self._account_id,
                domain=domain,
            ),
        )


class AsyncDomainsOperations(AsyncResource):
    async def list(
        self,
        *,
        dns_valid: bool | Unset = UNSET,
        sending_type: DomainsListSendingType | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> DomainPage:
        """List domains

        Needs the scope `domains:read`.

        """
        return cast(
            "DomainPage",
            await self._call(
                domains_list,
                account_id=self._account_id,
                dns_valid=dns_valid,
                sending_type=sending_type,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    async def create(
        self,
        *,
        body: DomainsCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> Domain:
        """Add a domain

        The answer lists the DNS records to publish; until they are seen, `dns_valid` is false and nothing
        can be sent from the domain.

        Needs the scope `domains:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Domain",
            await self._call(
                domains_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def get(
        self,
        domain: str,
    ) -> Domain:
        """Get a domain

        Needs the scope `domains:read`.

        """
        return cast(
            "Domain",
            await self._call(
                domains_get,
                account_id=self._account_id,
                domain=domain,
            ),
        )

    async def update(
        self,
        domain: str,
        *,
        body: DomainsUpdateBody | dict[str, Any],
    ) -> Domain:
        """Update a domain

        A field that is left out, or null, keeps its value; an empty subdomain or selector is the default
        again. Nothing is stored when a field is refused. A new `dkim_private_key` signs once its record is
        seen; until then the old one does.

        Needs the scope `domains:write`.

        """
        return cast(
            "Domain",
            await self._call(
                domains_update,
                account_id=self._account_id,
                domain=domain,
                body=body,
            ),
        )

    async def delete(
        self,
        domain: str,
    ) -> Message:
        """Delete a domain

        Scopes of keys that are granted for the domain go with it.

        Needs the scope `domains:delete:all`, or `domains:delete:{domain}` for the domain that it is about.

        """
        return cast(
            "Message",
            await self._call(
                domains_delete,
                account_id=self._account_id,
                domain=domain,
            ),
        )

    async def check_dns(
        self,
        domain: str,
    ) -> Domain:
        """Check the DNS records of a domain

        Looks the records up now and answers the domain as it is after that. A check less than a minute ago
        is answered again without a look-up.

        Needs the scope `domains:write`.

        """
        return cast(
            "Domain",
            await self._call(
                domains_check_dns,
                account_id=self._account_id,
                domain=domain,
            ),
        )
