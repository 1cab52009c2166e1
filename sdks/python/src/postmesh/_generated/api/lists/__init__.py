from __future__ import annotations

import builtins
import datetime
from typing import Any, cast
from uuid import UUID

from ...._resource import AsyncResource, Resource
from ...models.added_contacts import AddedContacts
from ...models.contact_list import ContactList
from ...models.contact_list_page import ContactListPage
from ...models.error import Error
from ...models.list_contact import ListContact
from ...models.list_member_page import ListMemberPage
from ...models.lists_add_contacts_body import ListsAddContactsBody
from ...models.lists_create_body import ListsCreateBody
from ...models.lists_list_contacts_subscription_status import (
    ListsListContactsSubscriptionStatus,
    check_lists_list_contacts_subscription_status,
)
from ...models.lists_put_contact_body import ListsPutContactBody
from ...models.lists_update_body import ListsUpdateBody
from ...models.message import Message
from ...types import UNSET, Unset
from . import (
    lists_add_contacts,
    lists_create,
    lists_delete,
    lists_get,
    lists_list,
    lists_list_contacts,
    lists_put_contact,
    lists_remove_contact,
    lists_update,
)


class ListsOperations(Resource):
    def list(
        self,
        *,
        name: str | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> ContactListPage:
        """List contact lists

        Needs the scope `lists:read`.

        """
        return cast(
            "ContactListPage",
            self._call(
                lists_list,
                account_id=self._account_id,
                name=name,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    def create(
        self,
        *,
        body: ListsCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> ContactList:
        """Create a contact list

        Names are not unique: a repeated request without a key creates another list.

        Needs the scope `lists:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "ContactList",
            self._call(
                lists_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def get(
        self,
        list_id: UUID,
    ) -> ContactList:
        """Get a contact list

        Needs the scope `lists:read`.

        """
        return cast(
            "ContactList",
            self._call(
                lists_get,
                account_id=self._account_id,
                list_id=list_id,
            ),
        )

    def update(
        self,
        list_id: UUID,
        *,
        body: ListsUpdateBody | dict[str, Any],
    ) -> ContactList:
        """Update a contact list

        Omitted and null fields keep their value. `tags` replaces all tags.

        Needs the scope `lists:write`.

        """
        return cast(
            "ContactList",
            self._call(
                lists_update,
                account_id=self._account_id,
                list_id=list_id,
                body=body,
            ),
        )

    def delete(
        self,
        list_id: UUID,
    ) -> Message:
        """Delete a contact list

        The list is deleted; unsubscribes and complaints of its members are kept.

        Needs the scope `lists:delete`.

        """
        return cast(
            "Message",
            self._call(
                lists_delete,
                account_id=self._account_id,
                list_id=list_id,
            ),
        )

    def list_contacts(
        self,
        list_id: UUID,
        *,
        subscription_status: ListsListContactsSubscriptionStatus | Unset = UNSET,
        email: str | Unset = UNSET,
        include_contacts: bool | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> ListMemberPage:
        """List the contacts of a list

        The newest membership first.

        Needs the scope `lists:read`.

        """
        return cast(
            "ListMemberPage",
            self._call(
                lists_list_contacts,
                account_id=self._account_id,
                list_id=list_id,
                subscription_status=subscription_status,
                email=email,
                include_contacts=include_contacts,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    def put_contact(
        self,
        list_id: UUID,
        id_or_email: str,
        *,
        body: ListsPutContactBody | dict[str, Any],
    ) -> ListContact:
        """Put a contact on a list

        Creates the membership, or changes its status if one is given. It never resubscribes automatically:
        without a status an existing membership does not change.

        Needs the scope `lists:write`.

        """
        return cast(
            "ListContact",
            self._call(
                lists_put_contact,
                account_id=self._account_id,
                list_id=list_id,
                id_or_email=id_or_email,
                body=body,
            ),
        )

    def remove_contact(
        self,
        list_id: UUID,
        id_or_email: str,
    ) -> Message:
        """Remove a contact from a list

        Removes the record of an unsubscribe from this list, too.

        Needs the scope `lists:write`.

        """
        return cast(
            "Message",
            self._call(
                lists_remove_contact,
                account_id=self._account_id,
                list_id=list_id,
                id_or_email=id_or_email,
            ),
        )

    def add_contacts(
        self,
        list_id: UUID,
        *,
        body: ListsAddContactsBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> AddedContacts:
        """Add contacts to a list

        Adds existing contacts; an existing membership does not change. An invalid entry fails alone. All
        effects are one transaction.

        Needs the scope `lists:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "AddedContacts",
            self._call(
                lists_add_contacts,
                account_id=self._account_id,
                list_id=list_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )


class AsyncListsOperations(AsyncResource):
    async def list(
        self,
        *,
        name: str | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> ContactListPage:
        """List contact lists

        Needs the scope `lists:read`.

        """
        return cast(
            "ContactListPage",
            await self._call(
                lists_list,
                account_id=self._account_id,
                name=name,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    async def create(
        self,
        *,
        body: ListsCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> ContactList:
        """Create a contact list

        Names are not unique: a repeated request without a key creates another list.

        Needs the scope `lists:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "ContactList",
            await self._call(
                lists_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def get(
        self,
        list_id: UUID,
    ) -> ContactList:
        """Get a contact list

        Needs the scope `lists:read`.

        """
        return cast(
            "ContactList",
            await self._call(
                lists_get,
                account_id=self._account_id,
                list_id=list_id,
            ),
        )

    async def update(
        self,
        list_id: UUID,
        *,
        body: ListsUpdateBody | dict[str, Any],
    ) -> ContactList:
        """Update a contact list

        Omitted and null fields keep their value. `tags` replaces all tags.

        Needs the scope `lists:write`.

        """
        return cast(
            "ContactList",
            await self._call(
                lists_update,
                account_id=self._account_id,
                list_id=list_id,
                body=body,
            ),
        )

    async def delete(
        self,
        list_id: UUID,
    ) -> Message:
        """Delete a contact list

        The list is deleted; unsubscribes and complaints of its members are kept.

        Needs the scope `lists:delete`.

        """
        return cast(
            "Message",
            await self._call(
                lists_delete,
                account_id=self._account_id,
                list_id=list_id,
            ),
        )

    async def list_contacts(
        self,
        list_id: UUID,
        *,
        subscription_status: ListsListContactsSubscriptionStatus | Unset = UNSET,
        email: str | Unset = UNSET,
        include_contacts: bool | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> ListMemberPage:
        """List the contacts of a list

        The newest membership first.

        Needs the scope `lists:read`.

        """
        return cast(
            "ListMemberPage",
            await self._call(
                lists_list_contacts,
                account_id=self._account_id,
                list_id=list_id,
                subscription_status=subscription_status,
                email=email,
                include_contacts=include_contacts,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    async def put_contact(
        self,
        list_id: UUID,
        id_or_email: str,
        *,
        body: ListsPutContactBody | dict[str, Any],
    ) -> ListContact:
        """Put a contact on a list

        Creates the membership, or changes its status if one is given. It never resubscribes automatically:
        without a status an existing membership does not change.

        Needs the scope `lists:write`.

        """
        return cast(
            "ListContact",
            await self._call(
                lists_put_contact,
                account_id=self._account_id,
                list_id=list_id,
                id_or_email=id_or_email,
                body=body,
            ),
        )

    async def remove_contact(
        self,
        list_id: UUID,
        id_or_email: str,
    ) -> Message:
        """Remove a contact from a list

        Removes the record of an unsubscribe from this list, too.

        Needs the scope `lists:write`.

        """
        return cast(
            "Message",
            await self._call(
                lists_remove_contact,
                account_id=self._account_id,
                list_id=list_id,
                id_or_email=id_or_email,
            ),
        )

    async def add_contacts(
        self,
        list_id: UUID,
        *,
        body: ListsAddContactsBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> AddedContacts:
        """Add contacts to a list

        Adds existing contacts; an existing membership does not change. An invalid entry fails alone. All
        effects are one transaction.

        Needs the scope `lists:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "AddedContacts",
            await self._call(
                lists_add_contacts,
                account_id=self._account_id,
                list_id=list_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )
