from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.messages_send_body_sandbox_result_type_1 import (
    MessagesSendBodySandboxResultType1,
    check_messages_send_body_sandbox_result_type_1,
)
from ..models.messages_send_body_sandbox_result_type_2_type_1 import (
    MessagesSendBodySandboxResultType2Type1,
    check_messages_send_body_sandbox_result_type_2_type_1,
)
from ..models.messages_send_body_sandbox_result_type_3_type_1 import (
    MessagesSendBodySandboxResultType3Type1,
    check_messages_send_body_sandbox_result_type_3_type_1,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.messages_send_body_attachments_type_0_item import (
        MessagesSendBodyAttachmentsType0Item,
    )
    from ..models.messages_send_body_from import MessagesSendBodyFrom
    from ..models.messages_send_body_headers_type_0_type_0 import (
        MessagesSendBodyHeadersType0Type0,
    )
    from ..models.messages_send_body_headers_type_0_type_1_item import (
        MessagesSendBodyHeadersType0Type1Item,
    )
    from ..models.messages_send_body_recipients_item import MessagesSendBodyRecipientsItem
    from ..models.messages_send_body_reply_to_type_0 import MessagesSendBodyReplyToType0
    from ..models.messages_send_body_retention_type_0 import (
        MessagesSendBodyRetentionType0,
    )
    from ..models.messages_send_body_schedule_type_0 import MessagesSendBodyScheduleType0
    from ..models.messages_send_body_substitutions_type_0 import (
        MessagesSendBodySubstitutionsType0,
    )
    from ..models.messages_send_body_tracking_type_0 import MessagesSendBodyTrackingType0


T = TypeVar("T", bound="MessagesSendBody")


@_attrs_define
class MessagesSendBody:
    """
    Attributes:
        from_ (MessagesSendBodyFrom):
        recipients (list[MessagesSendBodyRecipientsItem]):
        subject (str):
        text_content (None | str | Unset): Needed when there is no `html_content`.
        html_content (None | str | Unset): Needed when there is no `text_content`.
        amp_content (None | str | Unset):
        substitutions (MessagesSendBodySubstitutionsType0 | None | Unset): Values for all recipients. A value of the
            same name of a recipient wins.
        reply_to (MessagesSendBodyReplyToType0 | None | Unset):
        attachments (list[MessagesSendBodyAttachmentsType0Item] | None | Unset):
        headers (list[MessagesSendBodyHeadersType0Type1Item] | MessagesSendBodyHeadersType0Type0 | None | Unset):
        tags (list[str] | None | Unset): At most 10 that differ; each is kept once.
        sandbox (bool | None | Unset):
        sandbox_result (MessagesSendBodySandboxResultType1 | MessagesSendBodySandboxResultType2Type1 |
            MessagesSendBodySandboxResultType3Type1 | None | Unset):
        tracking (MessagesSendBodyTrackingType0 | None | Unset):
        retention (MessagesSendBodyRetentionType0 | None | Unset): Days for which the record and its content are kept.
        schedule (MessagesSendBodyScheduleType0 | None | Unset):
    """

    from_: MessagesSendBodyFrom
    recipients: list[MessagesSendBodyRecipientsItem]
    subject: str
    text_content: None | str | Unset = UNSET
    html_content: None | str | Unset = UNSET
    amp_content: None | str | Unset = UNSET
    substitutions: MessagesSendBodySubstitutionsType0 | None | Unset = UNSET
    reply_to: MessagesSendBodyReplyToType0 | None | Unset = UNSET
    attachments: list[MessagesSendBodyAttachmentsType0Item] | None | Unset = UNSET
    headers: list[MessagesSendBodyHeadersType0Type1Item] | MessagesSendBodyHeadersType0Type0 | None | Unset = UNSET
    tags: list[str] | None | Unset = UNSET
    sandbox: bool | None | Unset = UNSET
    sandbox_result: (
        MessagesSendBodySandboxResultType1
        | MessagesSendBodySandboxResultType2Type1
        | MessagesSendBodySandboxResultType3Type1
        | None
        | Unset
    ) = UNSET
    tracking: MessagesSendBodyTrackingType0 | None | Unset = UNSET
    retention: MessagesSendBodyRetentionType0 | None | Unset = UNSET
    schedule: MessagesSendBodyScheduleType0 | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.messages_send_body_headers_type_0_type_0 import (
            MessagesSendBodyHeadersType0Type0,
        )
        from ..models.messages_send_body_reply_to_type_0 import (
            MessagesSendBodyReplyToType0,
        )
        from ..models.messages_send_body_retention_type_0 import (
            MessagesSendBodyRetentionType0,
        )
        from ..models.messages_send_body_schedule_type_0 import (
            MessagesSendBodyScheduleType0,
        )
        from ..models.messages_send_body_substitutions_type_0 import (
            MessagesSendBodySubstitutionsType0,
        )
        from ..models.messages_send_body_tracking_type_0 import (
            MessagesSendBodyTrackingType0,
        )

        from_ = self.from_.to_dict()

        recipients = []
        for recipients_item_data in self.recipients:
            recipients_item = recipients_item_data.to_dict()
            recipients.append(recipients_item)

        subject = self.subject

        text_content: None | str | Unset
        if isinstance(self.text_content, Unset):
            text_content = UNSET
        else:
            text_content = self.text_content

        html_content: None | str | Unset
        if isinstance(self.html_content, Unset):
            html_content = UNSET
        else:
            html_content = self.html_content

        amp_content: None | str | Unset
        if isinstance(self.amp_content, Unset):
            amp_content = UNSET
        else:
            amp_content = self.amp_content

        substitutions: dict[str, Any] | None | Unset
        if isinstance(self.substitutions, Unset):
            substitutions = UNSET
        elif isinstance(self.substitutions, MessagesSendBodySubstitutionsType0):
            substitutions = self.substitutions.to_dict()
        else:
            substitutions = self.substitutions

        reply_to: dict[str, Any] | None | Unset
        if isinstance(self.reply_to, Unset):
            reply_to = UNSET
        elif isinstance(self.reply_to, MessagesSendBodyReplyToType0):
            reply_to = self.reply_to.to_dict()
        else:
            reply_to = self.reply_to

        attachments: list[dict[str, Any]] | None | Unset
        if isinstance(self.attachments, Unset):
            attachments = UNSET
        elif isinstance(self.attachments, list):
            attachments = []
            for attachments_type_0_item_data in self.attachments:
                attachments_type_0_item = attachments_type_0_item_data.to_dict()
                attachments.append(attachments_type_0_item)

        else:
            attachments = self.attachments

        headers: dict[str, Any] | list[dict[str, Any]] | None | Unset
        if isinstance(self.headers, Unset):
            headers = UNSET
        elif isinstance(self.headers, MessagesSendBodyHeadersType0Type0):
            headers = self.headers.to_dict()
        elif isinstance(self.headers, list):
            headers = []
            for headers_type_0_type_1_item_data in self.headers:
                headers_type_0_type_1_item = headers_type_0_type_1_item_data.to_dict()
                headers.append(headers_type_0_type_1_item)

        else:
            headers = self.headers

        tags: list[str] | None | Unset
        if isinstance(self.tags, Unset):
            tags = UNSET
        elif isinstance(self.tags, list):
            tags = self.tags

        else:
            tags = self.tags

        sandbox: bool | None | Unset
        if isinstance(self.sandbox, Unset):
            sandbox = UNSET
        else:
            sandbox = self.sandbox

        sandbox_result: None | str | Unset
        if isinstance(self.sandbox_result, Unset):
            sandbox_result = UNSET
        elif (
            isinstance(self.sandbox_result, str) or isinstance(self.sandbox_result, str) or isinstance(self.sandbox_result, str)
        ):
            sandbox_result = self.sandbox_result
        else:
            sandbox_result = self.sandbox_result

        tracking: dict[str, Any] | None | Unset
        if isinstance(self.tracking, Unset):
            tracking = UNSET
        elif isinstance(self.tracking, MessagesSendBodyTrackingType0):
            tracking = self.tracking.to_dict()
        else:
            tracking = self.tracking

        retention: dict[str, Any] | None | Unset
        if isinstance(self.retention, Unset):
            retention = UNSET
        elif isinstance(self.retention, MessagesSendBodyRetentionType0):
            retention = self.retention.to_dict()
        else:
            retention = self.retention

        schedule: dict[str, Any] | None | Unset
        if isinstance(self.schedule, Unset):
            schedule = UNSET
        elif isinstance(self.schedule, MessagesSendBodyScheduleType0):
            schedule = self.schedule.to_dict()
        else:
            schedule = self.schedule

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "from": from_,
                "recipients": recipients,
                "subject": subject,
            }
        )
        if text_content is not UNSET:
            field_dict["text_content"] = text_content
        if html_content is not UNSET:
            field_dict["html_content"] = html_content
        if amp_content is not UNSET:
            field_dict["amp_content"] = amp_content
        if substitutions is not UNSET:
            field_dict["substitutions"] = substitutions
        if reply_to is not UNSET:
            field_dict["reply_to"] = reply_to
        if attachments is not UNSET:
            field_dict["attachments"] = attachments
        if headers is not UNSET:
            field_dict["headers"] = headers
        if tags is not UNSET:
            field_dict["tags"] = tags
        if sandbox is not UNSET:
            field_dict["sandbox"] = sandbox
        if sandbox_result is not UNSET:
            field_dict["sandbox_result"] = sandbox_result
        if tracking is not UNSET:
            field_dict["tracking"] = tracking
        if retention is not UNSET:
            field_dict["retention"] = retention
        if schedule is not UNSET:
            field_dict["schedule"] = schedule

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.messages_send_body_attachments_type_0_item import (
            MessagesSendBodyAttachmentsType0Item,
        )
        from ..models.messages_send_body_from import MessagesSendBodyFrom
        from ..models.messages_send_body_headers_type_0_type_0 import (
            MessagesSendBodyHeadersType0Type0,
        )
        from ..models.messages_send_body_headers_type_0_type_1_item import (
            MessagesSendBodyHeadersType0Type1Item,
        )
        from ..models.messages_send_body_recipients_item import (
            MessagesSendBodyRecipientsItem,
        )
        from ..models.messages_send_body_reply_to_type_0 import (
            MessagesSendBodyReplyToType0,
        )
        from ..models.messages_send_body_retention_type_0 import (
            MessagesSendBodyRetentionType0,
        )
        from ..models.messages_send_body_schedule_type_0 import (
            MessagesSendBodyScheduleType0,
        )
        from ..models.messages_send_body_substitutions_type_0 import (
            MessagesSendBodySubstitutionsType0,
        )
        from ..models.messages_send_body_tracking_type_0 import (
            MessagesSendBodyTrackingType0,
        )

        d = dict(src_dict)
        from_ = MessagesSendBodyFrom.from_dict(d.pop("from"))

        recipients = []
        _recipients = d.pop("recipients")
        for recipients_item_data in _recipients:
            recipients_item = MessagesSendBodyRecipientsItem.from_dict(recipients_item_data)

            recipients.append(recipients_item)

        subject = d.pop("subject")

        def _parse_text_content(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        text_content = _parse_text_content(d.pop("text_content", UNSET))

        def _parse_html_content(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        html_content = _parse_html_content(d.pop("html_content", UNSET))

        def _parse_amp_content(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        amp_content = _parse_amp_content(d.pop("amp_content", UNSET))

        def _parse_substitutions(data: object) -> MessagesSendBodySubstitutionsType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                substitutions_type_0 = MessagesSendBodySubstitutionsType0.from_dict(data)

                return substitutions_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessagesSendBodySubstitutionsType0 | None | Unset, data)

        substitutions = _parse_substitutions(d.pop("substitutions", UNSET))

        def _parse_reply_to(data: object) -> MessagesSendBodyReplyToType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                reply_to_type_0 = MessagesSendBodyReplyToType0.from_dict(data)

                return reply_to_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessagesSendBodyReplyToType0 | None | Unset, data)

        reply_to = _parse_reply_to(d.pop("reply_to", UNSET))

        def _parse_attachments(data: object) -> list[MessagesSendBodyAttachmentsType0Item] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                attachments_type_0 = []
                _attachments_type_0 = data
                for attachments_type_0_item_data in _attachments_type_0:
                    attachments_type_0_item = MessagesSendBodyAttachmentsType0Item.from_dict(attachments_type_0_item_data)

                    attachments_type_0.append(attachments_type_0_item)

                return attachments_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[MessagesSendBodyAttachmentsType0Item] | None | Unset, data)

        attachments = _parse_attachments(d.pop("attachments", UNSET))

        def _parse_headers(
            data: object,
        ) -> list[MessagesSendBodyHeadersType0Type1Item] | MessagesSendBodyHeadersType0Type0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                headers_type_0_type_0 = MessagesSendBodyHeadersType0Type0.from_dict(data)

                return headers_type_0_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, list):
                    raise TypeError()
                headers_type_0_type_1 = []
                _headers_type_0_type_1 = data
                for headers_type_0_type_1_item_data in _headers_type_0_type_1:
                    headers_type_0_type_1_item = MessagesSendBodyHeadersType0Type1Item.from_dict(
                        headers_type_0_type_1_item_data
                    )

                    headers_type_0_type_1.append(headers_type_0_type_1_item)

                return headers_type_0_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[MessagesSendBodyHeadersType0Type1Item] | MessagesSendBodyHeadersType0Type0 | None | Unset, data)

        headers = _parse_headers(d.pop("headers", UNSET))

        def _parse_tags(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                tags_type_0 = cast(list[str], data)

                return tags_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        tags = _parse_tags(d.pop("tags", UNSET))

        def _parse_sandbox(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        sandbox = _parse_sandbox(d.pop("sandbox", UNSET))

        def _parse_sandbox_result(
            data: object,
        ) -> (
            MessagesSendBodySandboxResultType1
            | MessagesSendBodySandboxResultType2Type1
            | MessagesSendBodySandboxResultType3Type1
            | None
            | Unset
        ):
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                sandbox_result_type_1 = check_messages_send_body_sandbox_result_type_1(data)

                return sandbox_result_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                sandbox_result_type_2_type_1 = check_messages_send_body_sandbox_result_type_2_type_1(data)

                return sandbox_result_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                sandbox_result_type_3_type_1 = check_messages_send_body_sandbox_result_type_3_type_1(data)

                return sandbox_result_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(
                MessagesSendBodySandboxResultType1
                | MessagesSendBodySandboxResultType2Type1
                | MessagesSendBodySandboxResultType3Type1
                | None
                | Unset,
                data,
            )

        sandbox_result = _parse_sandbox_result(d.pop("sandbox_result", UNSET))

        def _parse_tracking(data: object) -> MessagesSendBodyTrackingType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                tracking_type_0 = MessagesSendBodyTrackingType0.from_dict(data)

                return tracking_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessagesSendBodyTrackingType0 | None | Unset, data)

        tracking = _parse_tracking(d.pop("tracking", UNSET))

        def _parse_retention(data: object) -> MessagesSendBodyRetentionType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                retention_type_0 = MessagesSendBodyRetentionType0.from_dict(data)

                return retention_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessagesSendBodyRetentionType0 | None | Unset, data)

        retention = _parse_retention(d.pop("retention", UNSET))

        def _parse_schedule(data: object) -> MessagesSendBodyScheduleType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                schedule_type_0 = MessagesSendBodyScheduleType0.from_dict(data)

                return schedule_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessagesSendBodyScheduleType0 | None | Unset, data)

        schedule = _parse_schedule(d.pop("schedule", UNSET))

        messages_send_body = cls(
            from_=from_,
            recipients=recipients,
            subject=subject,
            text_content=text_content,
            html_content=html_content,
            amp_content=amp_content,
            substitutions=substitutions,
            reply_to=reply_to,
            attachments=attachments,
            headers=headers,
            tags=tags,
            sandbox=sandbox,
            sandbox_result=sandbox_result,
            tracking=tracking,
            retention=retention,
            schedule=schedule,
        )

        return messages_send_body
