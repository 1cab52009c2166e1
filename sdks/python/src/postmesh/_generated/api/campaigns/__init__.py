from __future__ import annotations

import builtins
import datetime
from typing import Any, cast
from uuid import UUID

from ...._resource import AsyncResource, Resource
from ...models.campaign import Campaign
from ...models.campaign_list_item_page import CampaignListItemPage
from ...models.campaign_recipient_page import CampaignRecipientPage
from ...models.campaign_stats import CampaignStats
from ...models.campaign_test_result_list import CampaignTestResultList
from ...models.campaigns_create_body import CampaignsCreateBody
from ...models.campaigns_duplicate_body import CampaignsDuplicateBody
from ...models.campaigns_list_status_item import (
    CampaignsListStatusItem,
    check_campaigns_list_status_item,
)
from ...models.campaigns_preview_body import CampaignsPreviewBody
from ...models.campaigns_recipients_status import (
    CampaignsRecipientsStatus,
    check_campaigns_recipients_status,
)
from ...models.campaigns_send_body import CampaignsSendBody
from ...models.campaigns_test_send_body import CampaignsTestSendBody
from ...models.campaigns_update_body import CampaignsUpdateBody
from ...models.error import Error
from ...models.message import Message
from ...models.message_preview import MessagePreview
from ...types import UNSET, Unset
from . import (
    campaigns_create,
    campaigns_delete,
    campaigns_duplicate,
    campaigns_get,
    campaigns_list,
    campaigns_preview,
    campaigns_recipients,
    campaigns_send,
    campaigns_stats,
    campaigns_test_send,
    campaigns_unschedule,
    campaigns_update,
)


class CampaignsOperations(Resource):
    def list(
        self,
        *,
        status: builtins.list[CampaignsListStatusItem] | Unset = UNSET,
        name: str | Unset = UNSET,
        from_time: datetime.datetime | Unset = UNSET,
        to_time: datetime.datetime | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> CampaignListItemPage:
        """List campaigns

        Newest first, without lists, content and issues.

        Needs the scope `campaigns:read`.

        """
        return cast(
            "CampaignListItemPage",
            self._call(
                campaigns_list,
                account_id=self._account_id,
                status=status,
                name=name,
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
        body: CampaignsCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> Campaign:
        """Create a campaign

        Creates a draft. All fields except the name can be set later; `issues` lists the fields that are
        missing before it can be sent.

        Needs the scope `campaigns:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Campaign",
            self._call(
                campaigns_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def get(
        self,
        campaign_id: UUID,
    ) -> Campaign:
        """Get a campaign

        Needs the scope `campaigns:read`.

        """
        return cast(
            "Campaign",
            self._call(
                campaigns_get,
                account_id=self._account_id,
                campaign_id=campaign_id,
            ),
        )

    def update(
        self,
        campaign_id: UUID,
        *,
        body: CampaignsUpdateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> Campaign:
        """Change a campaign

        Changes the given fields of a draft. Changes of the same campaign wait for each other. A hand-
        written text stays with a new design; `content.text: null` derives it from the HTML again.

        Needs the scope `campaigns:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Campaign",
            self._call(
                campaigns_update,
                account_id=self._account_id,
                campaign_id=campaign_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def delete(
        self,
        campaign_id: UUID,
    ) -> Message:
        """Delete a campaign

        Deletes a draft and its design finally. Lists and templates stay.

        Needs the scope `campaigns:delete`.

        """
        return cast(
            "Message",
            self._call(
                campaigns_delete,
                account_id=self._account_id,
                campaign_id=campaign_id,
            ),
        )

    def duplicate(
        self,
        campaign_id: UUID,
        *,
        body: CampaignsDuplicateBody | dict[str, Any] | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Campaign:
        """Duplicate a campaign

        Copies a campaign in any status to a draft: design, subject, preheader, sender, reply-to, and its
        existing lists. The default name is `Copy of …`.

        Needs the scope `campaigns:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Campaign",
            self._call(
                campaigns_duplicate,
                account_id=self._account_id,
                campaign_id=campaign_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def send(
        self,
        campaign_id: UUID,
        *,
        body: CampaignsSendBody | dict[str, Any] | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Campaign:
        """Send a campaign

        A draft without issues is checked and then sent, at once or at its time. It can no longer be
        changed.

        Needs the scope `campaigns:send`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Campaign",
            self._call(
                campaigns_send,
                account_id=self._account_id,
                campaign_id=campaign_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def unschedule(
        self,
        campaign_id: UUID,
        *,
        idempotency_key: str | Unset = UNSET,
    ) -> Campaign:
        """Unschedule a campaign

        A campaign that has not begun to send becomes a draft again.

        Needs the scope `campaigns:send`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Campaign",
            self._call(
                campaigns_unschedule,
                account_id=self._account_id,
                campaign_id=campaign_id,
                idempotency_key=idempotency_key,
            ),
        )

    def test_send(
        self,
        campaign_id: UUID,
        *,
        body: CampaignsTestSendBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> CampaignTestResultList:
        """Send a test of a campaign

        Sends the present campaign to up to five addresses, with `[Test] ` before the subject, without
        tracking, and not counted in its results. At most 20 test messages per campaign and hour.

        Needs the scope `campaigns:send`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "CampaignTestResultList",
            self._call(
                campaigns_test_send,
                account_id=self._account_id,
                campaign_id=campaign_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def preview(
        self,
        campaign_id: UUID,
        *,
        body: CampaignsPreviewBody | dict[str, Any] | Unset = UNSET,
    ) -> MessagePreview:
        """Preview a campaign

        Renders the message to one contact, or with the given values, in any status; nothing is sent or
        stored. A part that cannot be rendered is omitted and named in `issues`, with all other issues of a
        draft. Unsubscribe links are samples.

        Needs the scope `campaigns:read`.

        """
        return cast(
            "MessagePreview",
            self._call(
                campaigns_preview,
                account_id=self._account_id,
                campaign_id=campaign_id,
                body=body,
            ),
        )

    def stats(
        self,
        campaign_id: UUID,
    ) -> CampaignStats:
        """Get the statistics of a campaign

        All counters are zero before sending, and may lag by some seconds. Opens and clicks stay 0 while
        `track_opens` and `track_clicks` are false: the account does not track them (`PUT
        …/accounts/{account_id}` turns it on).

        Needs the scope `campaigns:read`.

        """
        return cast(
            "CampaignStats",
            self._call(
                campaigns_stats,
                account_id=self._account_id,
                campaign_id=campaign_id,
            ),
        )

    def recipients(
        self,
        campaign_id: UUID,
        *,
        status: CampaignsRecipientsStatus | Unset = UNSET,
        email: str | Unset = UNSET,
        opened: bool | Unset = UNSET,
        clicked: bool | Unset = UNSET,
        unsubscribed: bool | Unset = UNSET,
        complained: bool | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> CampaignRecipientPage:
        """List the recipients of a campaign

        In the order of sending; empty before the campaign is sent. Deleted contacts are not listed. `GET
        …/messages/{message_id}` shows the message of a recipient with its attempts.

        Needs the scope `campaigns:read`.

        """
        return cast(
            "CampaignRecipientPage",
            self._call(
                campaigns_recipients,
                account_id=self._account_id,
                campaign_id=campaign_id,
                status=status,
                email=email,
                opened=opened,
                clicked=clicked,
                unsubscribed=unsubscribed,
                complained=complained,
                limit=limit,
                after=after,
                before=before,
            ),
        )


class AsyncCampaignsOperations(AsyncResource):
    async def list(
        self,
        *,
        status: builtins.list[CampaignsListStatusItem] | Unset = UNSET,
        name: str | Unset = UNSET,
        from_time: datetime.datetime | Unset = UNSET,
        to_time: datetime.datetime | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> CampaignListItemPage:
        """List campaigns

        Newest first, without lists, content and issues.

        Needs the scope `campaigns:read`.

        """
        return cast(
            "CampaignListItemPage",
            await self._call(
                campaigns_list,
                account_id=self._account_id,
                status=status,
                name=name,
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
        body: CampaignsCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> Campaign:
        """Create a campaign

        Creates a draft. All fields except the name can be set later; `issues` lists the fields that are
        missing before it can be sent.

        Needs the scope `campaigns:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Campaign",
            await self._call(
                campaigns_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def get(
        self,
        campaign_id: UUID,
    ) -> Campaign:
        """Get a campaign

        Needs the scope `campaigns:read`.

        """
        return cast(
            "Campaign",
            await self._call(
                campaigns_get,
                account_id=self._account_id,
                campaign_id=campaign_id,
            ),
        )

    async def update(
        self,
        campaign_id: UUID,
        *,
        body: CampaignsUpdateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> Campaign:
        """Change a campaign

        Changes the given fields of a draft. Changes of the same campaign wait for each other. A hand-
        written text stays with a new design; `content.text: null` derives it from the HTML again.

        Needs the scope `campaigns:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Campaign",
            await self._call(
                campaigns_update,
                account_id=self._account_id,
                campaign_id=campaign_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def delete(
        self,
        campaign_id: UUID,
    ) -> Message:
        """Delete a campaign

        Deletes a draft and its design finally. Lists and templates stay.

        Needs the scope `campaigns:delete`.

        """
        return cast(
            "Message",
            await self._call(
                campaigns_delete,
                account_id=self._account_id,
                campaign_id=campaign_id,
            ),
        )

    async def duplicate(
        self,
        campaign_id: UUID,
        *,
        body: CampaignsDuplicateBody | dict[str, Any] | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Campaign:
        """Duplicate a campaign

        Copies a campaign in any status to a draft: design, subject, preheader, sender, reply-to, and its
        existing lists. The default name is `Copy of …`.

        Needs the scope `campaigns:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Campaign",
            await self._call(
                campaigns_duplicate,
                account_id=self._account_id,
                campaign_id=campaign_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def send(
        self,
        campaign_id: UUID,
        *,
        body: CampaignsSendBody | dict[str, Any] | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Campaign:
        """Send a campaign

        A draft without issues is checked and then sent, at once or at its time. It can no longer be
        changed.

        Needs the scope `campaigns:send`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Campaign",
            await self._call(
                campaigns_send,
                account_id=self._account_id,
                campaign_id=campaign_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def unschedule(
        self,
        campaign_id: UUID,
        *,
        idempotency_key: str | Unset = UNSET,
    ) -> Campaign:
        """Unschedule a campaign

        A campaign that has not begun to send becomes a draft again.

        Needs the scope `campaigns:send`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Campaign",
            await self._call(
                campaigns_unschedule,
                account_id=self._account_id,
                campaign_id=campaign_id,
                idempotency_key=idempotency_key,
            ),
        )

    async def test_send(
        self,
        campaign_id: UUID,
        *,
        body: CampaignsTestSendBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> CampaignTestResultList:
        """Send a test of a campaign

        Sends the present campaign to up to five addresses, with `[Test] ` before the subject, without
        tracking, and not counted in its results. At most 20 test messages per campaign and hour.

        Needs the scope `campaigns:send`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "CampaignTestResultList",
            await self._call(
                campaigns_test_send,
                account_id=self._account_id,
                campaign_id=campaign_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def preview(
        self,
        campaign_id: UUID,
        *,
        body: CampaignsPreviewBody | dict[str, Any] | Unset = UNSET,
    ) -> MessagePreview:
        """Preview a campaign

        Renders the message to one contact, or with the given values, in any status; nothing is sent or
        stored. A part that cannot be rendered is omitted and named in `issues`, with all other issues of a
        draft. Unsubscribe links are samples.

        Needs the scope `campaigns:read`.

        """
        return cast(
            "MessagePreview",
            await self._call(
                campaigns_preview,
                account_id=self._account_id,
                campaign_id=campaign_id,
                body=body,
            ),
        )

    async def stats(
        self,
        campaign_id: UUID,
    ) -> CampaignStats:
        """Get the statistics of a campaign

        All counters are zero before sending, and may lag by some seconds. Opens and clicks stay 0 while
        `track_opens` and `track_clicks` are false: the account does not track them (`PUT
        …/accounts/{account_id}` turns it on).

        Needs the scope `campaigns:read`.

        """
        return cast(
            "CampaignStats",
            await self._call(
                campaigns_stats,
                account_id=self._account_id,
                campaign_id=campaign_id,
            ),
        )

    async def recipients(
        self,
        campaign_id: UUID,
        *,
        status: CampaignsRecipientsStatus | Unset = UNSET,
        email: str | Unset = UNSET,
        opened: bool | Unset = UNSET,
        clicked: bool | Unset = UNSET,
        unsubscribed: bool | Unset = UNSET,
        complained: bool | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> CampaignRecipientPage:
        """List the recipients of a campaign

        In the order of sending; empty before the campaign is sent. Deleted contacts are not listed. `GET
        …/messages/{message_id}` shows the message of a recipient with its attempts.

        Needs the scope `campaigns:read`.

        """
        return cast(
            "CampaignRecipientPage",
            await self._call(
                campaigns_recipients,
                account_id=self._account_id,
                campaign_id=campaign_id,
                status=status,
                email=email,
                opened=opened,
                clicked=clicked,
                unsubscribed=unsubscribed,
                complained=complained,
                limit=limit,
                after=after,
                before=before,
            ),
        )
