from __future__ import annotations

import builtins
import datetime
from typing import Any, cast
from uuid import UUID

from ...._resource import AsyncResource, Resource
from ...models.error import Error
from ...models.message import Message
from ...models.new_webhook import NewWebhook
from ...models.webhook import Webhook
from ...models.webhook_page import WebhookPage
from ...models.webhooks_create_body import WebhooksCreateBody
from ...models.webhooks_recover_body import WebhooksRecoverBody
from ...models.webhooks_trigger_body import WebhooksTriggerBody
from ...models.webhooks_update_body import WebhooksUpdateBody
from ...types import UNSET, Unset
from . import (
    webhooks_create,
    webhooks_delete,
    webhooks_get,
    webhooks_list,
    webhooks_recover,
    webhooks_trigger,
    webhooks_update,
)


class WebhooksOperations(Resource):
    def list(
        self,
        *,
        enabled: bool | Unset = UNSET,
        on_reception: bool | Unset = UNSET,
        on_delivered: bool | Unset = UNSET,
        on_transient_error: bool | Unset = UNSET,
        on_failed: bool | Unset = UNSET,
        on_bounced: bool | Unset = UNSET,
        on_suppressed: bool | Unset = UNSET,
        on_opened: bool | Unset = UNSET,
        on_clicked: bool | Unset = UNSET,
        on_suppression_created: bool | Unset = UNSET,
        on_dns_error: bool | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> WebhookPage:
        """List webhooks

        A key with domain scopes sees the webhooks that cover one of its domains.

        Needs the scope `webhooks:read:all`, or `webhooks:read:{domain}` for the domain that it is about.

        """
        return cast(
            "WebhookPage",
            self._call(
                webhooks_list,
                account_id=self._account_id,
                enabled=enabled,
                on_reception=on_reception,
                on_delivered=on_delivered,
                on_transient_error=on_transient_error,
                on_failed=on_failed,
                on_bounced=on_bounced,
                on_suppressed=on_suppressed,
                on_opened=on_opened,
                on_clicked=on_clicked,
                on_suppression_created=on_suppression_created,
                on_dns_error=on_dns_error,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    def create(
        self,
        *,
        body: WebhooksCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> NewWebhook:
        """Create a webhook

        A global webhook needs the scope for all domains; a scoped one the scope for each domain that it
        lists.

        Needs the scope `webhooks:write:all`, or `webhooks:write:{domain}` for the domain that it is about.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "NewWebhook",
            self._call(
                webhooks_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def get(
        self,
        webhook_id: UUID,
    ) -> Webhook:
        """Get a webhook

        Needs the scope `webhooks:read:all`, or `webhooks:read:{domain}` for the domain that it is about.

        """
        return cast(
            "Webhook",
            self._call(
                webhooks_get,
                account_id=self._account_id,
                webhook_id=webhook_id,
            ),
        )

    def update(
        self,
        webhook_id: UUID,
        *,
        body: WebhooksUpdateBody | dict[str, Any],
    ) -> Webhook:
        """Change a webhook

        Omitted and null fields keep their value. A list of domains replaces the stored one. Enabling a
        webhook again resets its consecutive errors.

        Needs the scope `webhooks:write:all`, or `webhooks:write:{domain}` for the domain that it is about.

        """
        return cast(
            "Webhook",
            self._call(
                webhooks_update,
                account_id=self._account_id,
                webhook_id=webhook_id,
                body=body,
            ),
        )

    def delete(
        self,
        webhook_id: UUID,
    ) -> Message:
        """Delete a webhook

        Pending calls are dropped.

        Needs the scope `webhooks:delete:all`, or `webhooks:delete:{domain}` for the domain that it is
        about.

        """
        return cast(
            "Message",
            self._call(
                webhooks_delete,
                account_id=self._account_id,
                webhook_id=webhook_id,
            ),
        )

    def trigger(
        self,
        webhook_id: UUID,
        *,
        body: WebhooksTriggerBody | dict[str, Any],
    ) -> Message:
        """Try a webhook

        Posts one sample event of each of these types to the URL, also of types that the webhook does not
        subscribe to. The calls are signed and counted like others.

        Needs the scope `webhooks:write:all`, or `webhooks:write:{domain}` for the domain that it is about.

        """
        return cast(
            "Message",
            self._call(
                webhooks_trigger,
                account_id=self._account_id,
                webhook_id=webhook_id,
                body=body,
            ),
        )

    def recover(
        self,
        webhook_id: UUID,
        *,
        body: WebhooksRecoverBody | dict[str, Any] | Unset = UNSET,
    ) -> Message:
        """Recover the missed calls of a webhook

        Repeats, with the same `webhook-id`, each call since a time that has not succeeded: calls without
        tries left, calls that ended because the webhook was disabled, and events from the time while it was
        disabled. Successful calls are not repeated. Runs in the background.

        Needs the scope `webhooks:write:all`, or `webhooks:write:{domain}` for the domain that it is about.

        """
        return cast(
            "Message",
            self._call(
                webhooks_recover,
                account_id=self._account_id,
                webhook_id=webhook_id,
                body=body,
            ),
        )


class AsyncWebhooksOperations(AsyncResource):
    async def list(
        self,
        *,
        enabled: bool | Unset = UNSET,
        on_reception: bool | Unset = UNSET,
        on_delivered: bool | Unset = UNSET,
        on_transient_error: bool | Unset = UNSET,
        on_failed: bool | Unset = UNSET,
        on_bounced: bool | Unset = UNSET,
        on_suppressed: bool | Unset = UNSET,
        on_opened: bool | Unset = UNSET,
        on_clicked: bool | Unset = UNSET,
        on_suppression_created: bool | Unset = UNSET,
        on_dns_error: bool | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> WebhookPage:
        """List webhooks

        A key with domain scopes sees the webhooks that cover one of its domains.

        Needs the scope `webhooks:read:all`, or `webhooks:read:{domain}` for the domain that it is about.

        """
        return cast(
            "WebhookPage",
            await self._call(
                webhooks_list,
                account_id=self._account_id,
                enabled=enabled,
                on_reception=on_reception,
                on_delivered=on_delivered,
                on_transient_error=on_transient_error,
                on_failed=on_failed,
                on_bounced=on_bounced,
                on_suppressed=on_suppressed,
                on_opened=on_opened,
                on_clicked=on_clicked,
                on_suppression_created=on_suppression_created,
                on_dns_error=on_dns_error,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    async def create(
        self,
        *,
        body: WebhooksCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> NewWebhook:
        """Create a webhook

        A global webhook needs the scope for all domains; a scoped one the scope for each domain that it
        lists.

        Needs the scope `webhooks:write:all`, or `webhooks:write:{domain}` for the domain that it is about.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "NewWebhook",
            await self._call(
                webhooks_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def get(
        self,
        webhook_id: UUID,
    ) -> Webhook:
        """Get a webhook

        Needs the scope `webhooks:read:all`, or `webhooks:read:{domain}` for the domain that it is about.

        """
        return cast(
            "Webhook",
            await self._call(
                webhooks_get,
                account_id=self._account_id,
                webhook_id=webhook_id,
            ),
        )

    async def update(
        self,
        webhook_id: UUID,
        *,
        body: WebhooksUpdateBody | dict[str, Any],
    ) -> Webhook:
        """Change a webhook

        Omitted and null fields keep their value. A list of domains replaces the stored one. Enabling a
        webhook again resets its consecutive errors.

        Needs the scope `webhooks:write:all`, or `webhooks:write:{domain}` for the domain that it is about.

        """
        return cast(
            "Webhook",
            await self._call(
                webhooks_update,
                account_id=self._account_id,
                webhook_id=webhook_id,
                body=body,
            ),
        )

    async def delete(
        self,
        webhook_id: UUID,
    ) -> Message:
        """Delete a webhook

        Pending calls are dropped.

        Needs the scope `webhooks:delete:all`, or `webhooks:delete:{domain}` for the domain that it is
        about.

        """
        return cast(
            "Message",
            await self._call(
                webhooks_delete,
                account_id=self._account_id,
                webhook_id=webhook_id,
            ),
        )

    async def trigger(
        self,
        webhook_id: UUID,
        *,
        body: WebhooksTriggerBody | dict[str, Any],
    ) -> Message:
        """Try a webhook

        Posts one sample event of each of these types to the URL, also of types that the webhook does not
        subscribe to. The calls are signed and counted like others.

        Needs the scope `webhooks:write:all`, or `webhooks:write:{domain}` for the domain that it is about.

        """
        return cast(
            "Message",
            await self._call(
                webhooks_trigger,
                account_id=self._account_id,
                webhook_id=webhook_id,
                body=body,
            ),
        )

    async def recover(
        self,
        webhook_id: UUID,
        *,
        body: WebhooksRecoverBody | dict[str, Any] | Unset = UNSET,
    ) -> Message:
        """Recover the missed calls of a webhook

        Repeats, with the same `webhook-id`, each call since a time that has not succeeded: calls without
        tries left, calls that ended because the webhook was disabled, and events from the time while it was
        disabled. Successful calls are not repeated. Runs in the background.

        Needs the scope `webhooks:write:all`, or `webhooks:write:{domain}` for the domain that it is about.

        """
        return cast(
            "Message",
            await self._call(
                webhooks_recover,
                account_id=self._account_id,
                webhook_id=webhook_id,
                body=body,
            ),
        )
