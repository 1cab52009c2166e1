from __future__ import annotations

import builtins
import datetime
from typing import Any, cast
from uuid import UUID

from ...._resource import AsyncResource, Resource
from ...models.error import Error
from ...models.message import Message
from ...models.message_record import MessageRecord
from ...models.message_summary_page import MessageSummaryPage
from ...models.messages_send_body import MessagesSendBody
from ...models.messages_send_conversation_body import MessagesSendConversationBody
from ...models.messages_send_template_body import MessagesSendTemplateBody
from ...models.send_result_list import SendResultList
from ...types import UNSET, Unset
from . import (
    messages_cancel,
    messages_get,
    messages_list,
    messages_send,
    messages_send_conversation,
    messages_send_template,
)


class MessagesOperations(Resource):
    def list(
        self,
        *,
        status: str | Unset = UNSET,
        sender: str | Unset = UNSET,
        recipient: str | Unset = UNSET,
        subject: str | Unset = UNSET,
        message_id_header: str | Unset = UNSET,
        tags: str | Unset = UNSET,
        from_time: datetime.datetime | Unset = UNSET,
        to_time: datetime.datetime | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> MessageSummaryPage:
        """List messages

        Newest first. Filters are joined by AND. A key with scopes for domains sees messages from those
        alone.

        Messages of campaigns are not listed: there may be a million. `GET
        …/campaigns/{campaign_id}/recipients?email=<address>` has the
        `message_id` of each, by which `GET …/messages/{message_id}` reads it.

        Needs the scope `messages:read:all`, or `messages:read:{domain}` for the domain that it is about.

        """
        return cast(
            "MessageSummaryPage",
            self._call(
                messages_list,
                account_id=self._account_id,
                status=status,
                sender=sender,
                recipient=recipient,
                subject=subject,
                message_id_header=message_id_header,
                tags=tags,
                from_time=from_time,
                to_time=to_time,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    def send(
        self,
        *,
        body: MessagesSendBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> SendResultList:
        """Send a message to each of up to 100 recipients

        A separate message per recipient, without the addresses of the others. Subject, header values and
        bodies are templates
        (MiniJinja, a dialect of Jinja2) for each recipient for whom there are `substitutions`, in the
        request or of their own;
        without any, braces leave as they are written. Values are not escaped: escape those that go into
        `html_content`.
        The response comes after everything is stored.

        A recipient who cannot be sent to has an `error`, and the message goes to the others: the account
        shields itself
        from the domain, or the message cannot be rendered or gets too large with these values. The domain
        that the scope is compared with is the one of `from`.

        Needs the scope `messages:send:all`, or `messages:send:{domain}` for the domain that it is about.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "SendResultList",
            self._call(
                messages_send,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def send_conversation(
        self,
        *,
        body: MessagesSendConversationBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> SendResultList:
        """Send a message whose recipients see each other

        One message with all of `to` and `cc` in its headers; `bcc` stays unseen. At most 50 recipients in
        all; an
        address that is named twice gets it once. Each recipient has a message of their own, and all of them
        share one
        Message-ID. Nothing is substituted. The response comes after everything is stored.

        A recipient who cannot be sent to, because the account shields itself from the domain for one, has
        an `error`; the
        message goes to the others. The domain that the scope is compared with is the one of `from`.

        Needs the scope `messages:send:all`, or `messages:send:{domain}` for the domain that it is about.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "SendResultList",
            self._call(
                messages_send_conversation,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def send_template(
        self,
        *,
        body: MessagesSendTemplateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> SendResultList:
        """Send a template to each of up to 100 recipients

        The published copy of a transactional template: HTML with its preview text, and text. A separate
        message per
        recipient, without the addresses of the others. Each recipient needs a value for each required
        variable, see `variables` of the
        template; `email` and `unsubscribe_url` are supplied. In the HTML values are escaped unless the
        design writes
        `{{ name|safe }}`. When the design uses `unsubscribe_url`, each recipient gets a link, in `List-
        Unsubscribe` too.

        A recipient who cannot be sent to has an `error`, and the message goes to the others: the account
        shields itself
        from the domain, or the message cannot be rendered or gets too large with these values. The domain
        that the scope is compared with is the one of `from`, or of the template's default sender; no
        `templates` scope is needed.

        Needs the scope `messages:send:all`, or `messages:send:{domain}` for the domain that it is about.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "SendResultList",
            self._call(
                messages_send_template,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def get(
        self,
        message_id: str,
        *,
        recipient: str | Unset = UNSET,
    ) -> MessageRecord:
        """Get a message

        By its id or by its Message-ID, with or without angle brackets. Of a Message-ID that several
        recipients share,
        the message of the first one is answered, or with `recipient` that of this one. Messages of
        campaigns are found, too. `content` and `content_parsed` are there as long as the content is kept.

        Needs the scope `messages:read:all`, or `messages:read:{domain}` for the domain that it is about.

        """
        return cast(
            "MessageRecord",
            self._call(
                messages_get,
                account_id=self._account_id,
                message_id=message_id,
                recipient=recipient,
            ),
        )

    def cancel(
        self,
        message_id: str,
    ) -> Message:
        """Cancel a message

        Before its first attempt: it is never tried then, and no webhook is called. Of a Message-ID that
        several messages
        share, each that still can be is canceled.

        Needs the scope `messages:cancel:all`, or `messages:cancel:{domain}` for the domain that it is
        about.

        """
        return cast(
            "Message",
            self._call(
                messages_cancel,
                account_id=self._account_id,
                message_id=message_id,
            ),
        )


class AsyncMessagesOperations(AsyncResource):
    async def list(
        self,
        *,
        status: str | Unset = UNSET,
        sender: str | Unset = UNSET,
        recipient: str | Unset = UNSET,
        subject: str | Unset = UNSET,
        message_id_header: str | Unset = UNSET,
        tags: str | Unset = UNSET,
        from_time: datetime.datetime | Unset = UNSET,
        to_time: datetime.datetime | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> MessageSummaryPage:
        """List messages

        Newest first. Filters are joined by AND. A key with scopes for domains sees messages from those
        alone.

        Messages of campaigns are not listed: there may be a million. `GET
        …/campaigns/{campaign_id}/recipients?email=<address>` has the
        `message_id` of each, by which `GET …/messages/{message_id}` reads it.

        Needs the scope `messages:read:all`, or `messages:read:{domain}` for the domain that it is about.

        """
        return cast(
            "MessageSummaryPage",
            await self._call(
                messages_list,
                account_id=self._account_id,
                status=status,
                sender=sender,
                recipient=recipient,
                subject=subject,
                message_id_header=message_id_header,
                tags=tags,
                from_time=from_time,
                to_time=to_time,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    async def send(
        self,
        *,
        body: MessagesSendBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> SendResultList:
        """Send a message to each of up to 100 recipients

        A separate message per recipient, without the addresses of the others. Subject, header values and
        bodies are templates
        (MiniJinja, a dialect of Jinja2) for each recipient for whom there are `substitutions`, in the
        request or of their own;
        without any, braces leave as they are written. Values are not escaped: escape those that go into
        `html_content`.
        The response comes after everything is stored.

        A recipient who cannot be sent to has an `error`, and the message goes to the others: the account
        shields itself
        from the domain, or the message cannot be rendered or gets too large with these values. The domain
        that the scope is compared with is the one of `from`.

        Needs the scope `messages:send:all`, or `messages:send:{domain}` for the domain that it is about.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "SendResultList",
            await self._call(
                messages_send,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def send_conversation(
        self,
        *,
        body: MessagesSendConversationBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> SendResultList:
        """Send a message whose recipients see each other

        One message with all of `to` and `cc` in its headers; `bcc` stays unseen. At most 50 recipients in
        all; an
        address that is named twice gets it once. Each recipient has a message of their own, and all of them
        share one
        Message-ID. Nothing is substituted. The response comes after everything is stored.

        A recipient who cannot be sent to, because the account shields itself from the domain for one, has
        an `error`; the
        message goes to the others. The domain that the scope is compared with is the one of `from`.

        Needs the scope `messages:send:all`, or `messages:send:{domain}` for the domain that it is about.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "SendResultList",
            await self._call(
                messages_send_conversation,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def send_template(
        self,
        *,
        body: MessagesSendTemplateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> SendResultList:
        """Send a template to each of up to 100 recipients

        The published copy of a transactional template: HTML with its preview text, and text. A separate
        message per
        recipient, without the addresses of the others. Each recipient needs a value for each required
        variable, see `variables` of the
        template; `email` and `unsubscribe_url` are supplied. In the HTML values are escaped unless the
        design writes
        `{{ name|safe }}`. When the design uses `unsubscribe_url`, each recipient gets a link, in `List-
        Unsubscribe` too.

        A recipient who cannot be sent to has an `error`, and the message goes to the others: the account
        shields itself
        from the domain, or the message cannot be rendered or gets too large with these values. The domain
        that the scope is compared with is the one of `from`, or of the template's default sender; no
        `templates` scope is needed.

        Needs the scope `messages:send:all`, or `messages:send:{domain}` for the domain that it is about.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "SendResultList",
            await self._call(
                messages_send_template,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def get(
        self,
        message_id: str,
        *,
        recipient: str | Unset = UNSET,
    ) -> MessageRecord:
        """Get a message

        By its id or by its Message-ID, with or without angle brackets. Of a Message-ID that several
        recipients share,
        the message of the first one is answered, or with `recipient` that of this one. Messages of
        campaigns are found, too. `content` and `content_parsed` are there as long as the content is kept.

        Needs the scope `messages:read:all`, or `messages:read:{domain}` for the domain that it is about.

        """
        return cast(
            "MessageRecord",
            await self._call(
                messages_get,
                account_id=self._account_id,
                message_id=message_id,
                recipient=recipient,
            ),
        )

    async def cancel(
        self,
        message_id: str,
    ) -> Message:
        """Cancel a message

        Before its first attempt: it is never tried then, and no webhook is called. Of a Message-ID that
        several messages
        share, each that still can be is canceled.

        Needs the scope `messages:cancel:all`, or `messages:cancel:{domain}` for the domain that it is
        about.

        """
        return cast(
            "Message",
            await self._call(
                messages_cancel,
                account_id=self._account_id,
                message_id=message_id,
            ),
        )
