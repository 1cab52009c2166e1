from __future__ import annotations

import builtins
import datetime
from typing import Any, cast
from uuid import UUID

from ...._resource import AsyncResource, Resource
from ...models.contact import Contact
from ...models.contact_batch_result import ContactBatchResult
from ...models.contact_list_membership_page import ContactListMembershipPage
from ...models.contact_page import ContactPage
from ...models.contacts_batch_body import ContactsBatchBody
from ...models.contacts_create_body import ContactsCreateBody
from ...models.contacts_list_lists_subscription_status import (
    ContactsListListsSubscriptionStatus,
    check_contacts_list_lists_subscription_status,
)
from ...models.contacts_list_status import (
    ContactsListStatus,
    check_contacts_list_status,
)
from ...models.contacts_update_body import ContactsUpdateBody
from ...models.error import Error
from ...models.message import Message
from ...types import UNSET, Unset
from . import (
    contacts_batch,
    contacts_create,
    contacts_delete,
    contacts_get,
    contacts_list,
    contacts_list_lists,
    contacts_update,
)


class ContactsOperations(Resource):
    def list(
        self,
        *,
        email: str | Unset = UNSET,
        status: ContactsListStatus | Unset = UNSET,
        subscribed: bool | Unset = UNSET,
        from_time: datetime.datetime | Unset = UNSET,
        to_time: datetime.datetime | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> ContactPage:
        """List contacts

        Needs the scope `contacts:read`.

        """
        return cast(
            "ContactPage",
            self._call(
                contacts_list,
                account_id=self._account_id,
                email=email,
                status=status,
                subscribed=subscribed,
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
        body: ContactsCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> Contact:
        """Create a contact

        The contact is on no list. Suppressions of its address stay as they are.

        Needs the scope `contacts:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Contact",
            self._call(
                contacts_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def get(
        self,
        id_or_email: str,
    ) -> Contact:
        """Get a contact

        A path value in UUID form is an id, any other value an address, percent-encoded once.

        Needs the scope `contacts:read`.

        """
        return cast(
            "Contact",
            self._call(
                contacts_get,
                account_id=self._account_id,
                id_or_email=id_or_email,
            ),
        )

    def update(
        self,
        id_or_email: str,
        *,
        body: ContactsUpdateBody | dict[str, Any],
    ) -> Contact:
        """Change a contact

        Omitted and null fields keep their value. Attributes are merged; null removes one. A path value in
        UUID form is an id, any other value an address, percent-encoded once.

        Needs the scope `contacts:write`.

        """
        return cast(
            "Contact",
            self._call(
                contacts_update,
                account_id=self._account_id,
                id_or_email=id_or_email,
                body=body,
            ),
        )

    def delete(
        self,
        id_or_email: str,
    ) -> Message:
        """Delete a contact

        Deletes the contact with its memberships, its unsubscribe history and its records in campaigns.
        Suppressions of its address stay. A path value in UUID form is an id, any other value an address,
        percent-encoded once.

        Needs the scope `contacts:delete`.

        """
        return cast(
            "Message",
            self._call(
                contacts_delete,
                account_id=self._account_id,
                id_or_email=id_or_email,
            ),
        )

    def batch(
        self,
        *,
        body: ContactsBatchBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> ContactBatchResult:
        """Create or update up to 1,000 contacts

        New addresses are created, existing ones updated. An invalid entry fails alone; entries with the
        same address all fail. All effects are one transaction.

        Needs the scope `contacts:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "ContactBatchResult",
            self._call(
                contacts_batch,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def list_lists(
        self,
        id_or_email: str,
        *,
        subscription_status: ContactsListListsSubscriptionStatus | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> ContactListMembershipPage:
        """List the lists of a contact

        The newest membership first.

        Needs the scope `lists:read`.

        """
        return cast(
            "ContactListMembershipPage",
            self._call(
                contacts_list_lists,
                account_id=self._account_id,
                id_or_email=id_or_email,
                subscription_status=subscription_status,
                limit=limit,
                after=after,
                before=before,
            ),
        )


class AsyncContactsOperations(AsyncResource):
    async def list(
        self,
        *,
        email: str | Unset = UNSET,
        status: ContactsListStatus | Unset = UNSET,
        subscribed: bool | Unset = UNSET,
        from_time: datetime.datetime | Unset = UNSET,
        to_time: datetime.datetime | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> ContactPage:
        """List contacts

        Needs the scope `contacts:read`.

        """
        return cast(
            "ContactPage",
            await self._call(
                contacts_list,
                account_id=self._account_id,
                email=email,
                status=status,
                subscribed=subscribed,
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
        body: ContactsCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> Contact:
        """Create a contact

        The contact is on no list. Suppressions of its address stay as they are.

        Needs the scope `contacts:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Contact",
            await self._call(
                contacts_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def get(
        self,
        id_or_email: str,
    ) -> Contact:
        """Get a contact

        A path value in UUID form is an id, any other value an address, percent-encoded once.

        Needs the scope `contacts:read`.

        """
        return cast(
            "Contact",
            await self._call(
                contacts_get,
                account_id=self._account_id,
                id_or_email=id_or_email,
            ),
        )

    async def update(
        self,
        id_or_email: str,
        *,
        body: ContactsUpdateBody | dict[str, Any],
    ) -> Contact:
        """Change a contact

        Omitted and null fields keep their value. Attributes are merged; null removes one. A path value in
        UUID form is an id, any other value an address, percent-encoded once.

        Needs the scope `contacts:write`.

        """
        return cast(
            "Contact",
            await self._call(
                contacts_update,
                account_id=self._account_id,
                id_or_email=id_or_email,
                body=body,
            ),
        )

    async def delete(
        self,
        id_or_email: str,
    ) -> Message:
        """Delete a contact

        Deletes the contact with its memberships, its unsubscribe history and its records in campaigns.
        Suppressions of its address stay. A path value in UUID form is an id, any other value an address,
        percent-encoded once.

        Needs the scope `contacts:delete`.

        """
        return cast(
            "Message",
            await self._call(
                contacts_delete,
                account_id=self._account_id,
                id_or_email=id_or_email,
            ),
        )

    async def batch(
        self,
        *,
        body: ContactsBatchBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> ContactBatchResult:
        """Create or update up to 1,000 contacts

        New addresses are created, existing ones updated. An invalid entry fails alone; entries with the
        same address all fail. All effects are one transaction.

        Needs the scope `contacts:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "ContactBatchResult",
            await self._call(
                contacts_batch,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def list_lists(
        self,
        id_or_email: str,
        *,
        subscription_status: ContactsListListsSubscriptionStatus | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> ContactListMembershipPage:
        """List the lists of a contact

        The newest membership first.

        Needs the scope `lists:read`.

        """
        return cast(
            "ContactListMembershipPage",
            await self._call(
                contacts_list_lists,
                account_id=self._account_id,
                id_or_email=id_or_email,
                subscription_status=subscription_status,
                limit=limit,
                after=after,
                before=before,
            ),
        )
