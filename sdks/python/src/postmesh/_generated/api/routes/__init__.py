from __future__ import annotations

import builtins
import datetime
from typing import Any, cast
from uuid import UUID

from ...._resource import AsyncResource, Resource
from ...models.error import Error
from ...models.message import Message
from ...models.new_route import NewRoute
from ...models.route import Route
from ...models.route_page import RoutePage
from ...models.routes_create_body import RoutesCreateBody
from ...models.routes_recover_body import RoutesRecoverBody
from ...models.routes_trigger_body import RoutesTriggerBody
from ...models.routes_update_body import RoutesUpdateBody
from ...types import UNSET, Unset
from . import (
    routes_create,
    routes_delete,
    routes_get,
    routes_list,
    routes_recover,
    routes_trigger,
    routes_update,
)


class RoutesOperations(Resource):
    def list(
        self,
        *,
        domain: str | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> RoutePage:
        """List routes

        A key with domain scopes has to name one of its domains.

        Needs the scope `routes:read:all`, or `routes:read:{domain}` for the domain that it is about.

        """
        return cast(
            "RoutePage",
            self._call(
                routes_list,
                account_id=self._account_id,
                domain=domain,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    def create(
        self,
        *,
        body: RoutesCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> NewRoute:
        """Create a route

        Inbound mail whose recipient matches is posted to the URL. A route for every address of the account
        needs the scope for all domains; other routes need the scope for their domain.

        Needs the scope `routes:write:all`, or `routes:write:{domain}` for the domain that it is about.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "NewRoute",
            self._call(
                routes_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def get(
        self,
        route_id: UUID,
    ) -> Route:
        """Get a route

        Needs the scope `routes:read:all`, or `routes:read:{domain}` for the domain that it is about.

        """
        return cast(
            "Route",
            self._call(
                routes_get,
                account_id=self._account_id,
                route_id=route_id,
            ),
        )

    def update(
        self,
        route_id: UUID,
        *,
        body: RoutesUpdateBody | dict[str, Any],
    ) -> Route:
        """Change a route

        Omitted and null fields keep their value. An empty recipient matches every address of the account.
        Enabling a route again resets its consecutive errors.

        Needs the scope `routes:write:all`, or `routes:write:{domain}` for the domain that it is about.

        """
        return cast(
            "Route",
            self._call(
                routes_update,
                account_id=self._account_id,
                route_id=route_id,
                body=body,
            ),
        )

    def delete(
        self,
        route_id: UUID,
    ) -> Message:
        """Delete a route

        Pending calls are dropped.

        Needs the scope `routes:delete:all`, or `routes:delete:{domain}` for the domain that it is about.

        """
        return cast(
            "Message",
            self._call(
                routes_delete,
                account_id=self._account_id,
                route_id=route_id,
            ),
        )

    def trigger(
        self,
        route_id: UUID,
        *,
        body: RoutesTriggerBody | dict[str, Any] | Unset = UNSET,
    ) -> Message:
        """Try a route

        Posts a sample message to the URL. The call is signed and counted like others.

        Needs the scope `routes:write:all`, or `routes:write:{domain}` for the domain that it is about.

        """
        return cast(
            "Message",
            self._call(
                routes_trigger,
                account_id=self._account_id,
                route_id=route_id,
                body=body,
            ),
        )

    def recover(
        self,
        route_id: UUID,
        *,
        body: RoutesRecoverBody | dict[str, Any] | Unset = UNSET,
    ) -> Message:
        """Recover the missed calls of a route

        Repeats, with the same `webhook-id`, each call since a time that has not succeeded: calls without
        tries left, and calls that ended because the route was disabled. Successful calls are not repeated.
        Runs in the background.

        Needs the scope `routes:write:all`, or `routes:write:{domain}` for the domain that it is about.

        """
        return cast(
            "Message",
            self._call(
                routes_recover,
                account_id=self._account_id,
                route_id=route_id,
                body=body,
            ),
        )


class AsyncRoutesOperations(AsyncResource):
    async def list(
        self,
        *,
        domain: str | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> RoutePage:
        """List routes

        A key with domain scopes has to name one of its domains.

        Needs the scope `routes:read:all`, or `routes:read:{domain}` for the domain that it is about.

        """
        return cast(
            "RoutePage",
            await self._call(
                routes_list,
                account_id=self._account_id,
                domain=domain,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    async def create(
        self,
        *,
        body: RoutesCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> NewRoute:
        """Create a route

        Inbound mail whose recipient matches is posted to the URL. A route for every address of the account
        needs the scope for all domains; other routes need the scope for their domain.

        Needs the scope `routes:write:all`, or `routes:write:{domain}` for the domain that it is about.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "NewRoute",
            await self._call(
                routes_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def get(
        self,
        route_id: UUID,
    ) -> Route:
        """Get a route

        Needs the scope `routes:read:all`, or `routes:read:{domain}` for the domain that it is about.

        """
        return cast(
            "Route",
            await self._call(
                routes_get,
                account_id=self._account_id,
                route_id=route_id,
            ),
        )

    async def update(
        self,
        route_id: UUID,
        *,
        body: RoutesUpdateBody | dict[str, Any],
    ) -> Route:
        """Change a route

        Omitted and null fields keep their value. An empty recipient matches every address of the account.
        Enabling a route again resets its consecutive errors.

        Needs the scope `routes:write:all`, or `routes:write:{domain}` for the domain that it is about.

        """
        return cast(
            "Route",
            await self._call(
                routes_update,
                account_id=self._account_id,
                route_id=route_id,
                body=body,
            ),
        )

    async def delete(
        self,
        route_id: UUID,
    ) -> Message:
        """Delete a route

        Pending calls are dropped.

        Needs the scope `routes:delete:all`, or `routes:delete:{domain}` for the domain that it is about.

        """
        return cast(
            "Message",
            await self._call(
                routes_delete,
                account_id=self._account_id,
                route_id=route_id,
            ),
        )

    async def trigger(
        self,
        route_id: UUID,
        *,
        body: RoutesTriggerBody | dict[str, Any] | Unset = UNSET,
    ) -> Message:
        """Try a route

        Posts a sample message to the URL. The call is signed and counted like others.

        Needs the scope `routes:write:all`, or `routes:write:{domain}` for the domain that it is about.

        """
        return cast(
            "Message",
            await self._call(
                routes_trigger,
                account_id=self._account_id,
                route_id=route_id,
                body=body,
            ),
        )

    async def recover(
        self,
        route_id: UUID,
        *,
        body: RoutesRecoverBody | dict[str, Any] | Unset = UNSET,
    ) -> Message:
        """Recover the missed calls of a route

        Repeats, with the same `webhook-id`, each call since a time that has not succeeded: calls without
        tries left, and calls that ended because the route was disabled. Successful calls are not repeated.
        Runs in the background.

        Needs the scope `routes:write:all`, or `routes:write:{domain}` for the domain that it is about.

        """
        return cast(
            "Message",
            await self._call(
                routes_recover,
                account_id=self._account_id,
                route_id=route_id,
                body=body,
            ),
        )
