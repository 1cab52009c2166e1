from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..models.messages_send_template_body_sandbox_result_type_1 import (
    MessagesSendTemplateBodySandboxResultType1,
    check_messages_send_template_body_sandbox_result_type_1,
)
from ..models.messages_send_template_body_sandbox_result_type_2_type_1 import (
    MessagesSendTemplateBodySandboxResultType2Type1,
    check_messages_send_template_body_sandbox_result_type_2_type_1,
)
from ..models.messages_send_template_body_sandbox_result_type_3_type_1 import (
    MessagesSendTemplateBodySandboxResultType3Type1,
    check_messages_send_template_body_sandbox_result_type_3_type_1,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.messages_send_template_body_attachments_type_0_item import (
        MessagesSendTemplateBodyAttachmentsType0Item,
    )
    from ..models.messages_send_template_body_from_type_0 import (
        MessagesSendTemplateBodyFromType0,
    )
    from ..models.messages_send_template_body_headers_type_0_type_0 import (
        MessagesSendTemplateBodyHeadersType0Type0,
    )
    from ..models.messages_send_template_body_headers_type_0_type_1_item import (
        MessagesSendTemplateBodyHeadersType0Type1Item,
    )
    from ..models.messages_send_template_body_recipients_item import (
        MessagesSendTemplateBodyRecipientsItem,
    )
    from ..models.messages_send_template_body_reply_to_type_0 import (
        MessagesSendTemplateBodyReplyToType0,
    )
    from ..models.messages_send_template_body_retention_type_0 import (
        MessagesSendTemplateBodyRetentionType0,
    )
    from ..models.messages_send_template_body_schedule_type_0 import (
        MessagesSendTemplateBodyScheduleType0,
    )
    from ..models.messages_send_template_body_tracking_type_0 import (
        MessagesSendTemplateBodyTrackingType0,
    )


T = TypeVar("T", bound="MessagesSendTemplateBody")


@_attrs_define
class MessagesSendTemplateBody:
    """
    Attributes:
        template_id (UUID):
        recipients (list[MessagesSendTemplateBodyRecipientsItem]):
        from_ (MessagesSendTemplateBodyFromType0 | None | Unset): The sender of the template when left out.
        reply_to (MessagesSendTemplateBodyReplyToType0 | None | Unset):
        subject (None | str | Unset): The subject of the template when left out or blank.
        attachments (list[MessagesSendTemplateBodyAttachmentsType0Item] | None | Unset):
        headers (list[MessagesSendTemplateBodyHeadersType0Type1Item] | MessagesSendTemplateBodyHeadersType0Type0 | None
            | Unset):
        tags (list[str] | None | Unset): At most 10 that differ; each is kept once.
        sandbox (bool | None | Unset):
        sandbox_result (MessagesSendTemplateBodySandboxResultType1 | MessagesSendTemplateBodySandboxResultType2Type1 |
            MessagesSendTemplateBodySandboxResultType3Type1 | None | Unset):
        tracking (MessagesSendTemplateBodyTrackingType0 | None | Unset):
        retention (MessagesSendTemplateBodyRetentionType0 | None | Unset): Days for which the record and its content are
            kept.
        schedule (MessagesSendTemplateBodyScheduleType0 | None | Unset):
    """

    template_id: UUID
    recipients: list[MessagesSendTemplateBodyRecipientsItem]
    from_: MessagesSendTemplateBodyFromType0 | None | Unset = UNSET
    reply_to: MessagesSendTemplateBodyReplyToType0 | None | Unset = UNSET
    subject: None | str | Unset = UNSET
    attachments: list[MessagesSendTemplateBodyAttachmentsType0Item] | None | Unset = UNSET
    headers: list[MessagesSendTemplateBodyHeadersType0Type1Item] | MessagesSendTemplateBodyHeadersType0Type0 | None | Unset = (
        UNSET
    )
    tags: list[str] | None | Unset = UNSET
    sandbox: bool | None | Unset = UNSET
    sandbox_result: (
        MessagesSendTemplateBodySandboxResultType1
        | MessagesSendTemplateBodySandboxResultType2Type1
        | MessagesSendTemplateBodySandboxResultType3Type1
        | None
        | Unset
    ) = UNSET
    tracking: MessagesSendTemplateBodyTrackingType0 | None | Unset = UNSET
    retention: MessagesSendTemplateBodyRetentionType0 | None | Unset = UNSET
    schedule: MessagesSendTemplateBodyScheduleType0 | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.messages_send_template_body_from_type_0 import (
            MessagesSendTemplateBodyFromType0,
        )
        from ..models.messages_send_template_body_headers_type_0_type_0 import (
            MessagesSendTemplateBodyHeadersType0Type0,
        )
        from ..models.messages_send_template_body_reply_to_type_0 import (
            MessagesSendTemplateBodyReplyToType0,
        )
        from ..models.messages_send_template_body_retention_type_0 import (
            MessagesSendTemplateBodyRetentionType0,
        )
        from ..models.messages_send_template_body_schedule_type_0 import (
            MessagesSendTemplateBodyScheduleType0,
        )
        from ..models.messages_send_template_body_tracking_type_0 import (
            MessagesSendTemplateBodyTrackingType0,
        )

        template_id = str(self.template_id)

        recipients = []
        for recipients_item_data in self.recipients:
            recipients_item = recipients_item_data.to_dict()
            recipients.append(recipients_item)

        from_: dict[str, Any] | None | Unset
        if isinstance(self.from_, Unset):
            from_ = UNSET
        elif isinstance(self.from_, MessagesSendTemplateBodyFromType0):
            from_ = self.from_.to_dict()
        else:
            from_ = self.from_

        reply_to: dict[str, Any] | None | Unset
        if isinstance(self.reply_to, Unset):
            reply_to = UNSET
        elif isinstance(self.reply_to, MessagesSendTemplateBodyReplyToType0):
            reply_to = self.reply_to.to_dict()
        else:
            reply_to = self.reply_to

        subject: None | str | Unset
        if isinstance(self.subject, Unset):
            subject = UNSET
        else:
            subject = self.subject

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
        elif isinstance(self.headers, MessagesSendTemplateBodyHeadersType0Type0):
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
        elif isinstance(self.tracking, MessagesSendTemplateBodyTrackingType0):
            tracking = self.tracking.to_dict()
        else:
            tracking = self.tracking

        retention: dict[str, Any] | None | Unset
        if isinstance(self.retention, Unset):
            retention = UNSET
        elif isinstance(self.retention, MessagesSendTemplateBodyRetentionType0):
            retention = self.retention.to_dict()
        else:
            retention = self.retention

        schedule: dict[str, Any] | None | Unset
        if isinstance(self.schedule, Unset):
            schedule = UNSET
        elif isinstance(self.schedule, MessagesSendTemplateBodyScheduleType0):
            schedule = self.schedule.to_dict()
        else:
            schedule = self.schedule

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "template_id": template_id,
                "recipients": recipients,
            }
        )
        if from_ is not UNSET:
            field_dict["from"] = from_
        if reply_to is not UNSET:
            field_dict["reply_to"] = reply_to
        if subject is not UNSET:
            field_dict["subject"] = subject
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
        from ..models.messages_send_template_body_attachments_type_0_item import (
            MessagesSendTemplateBodyAttachmentsType0Item,
        )
        from ..models.messages_send_template_body_from_type_0 import (
            MessagesSendTemplateBodyFromType0,
        )
        from ..models.messages_send_template_body_headers_type_0_type_0 import (
            MessagesSendTemplateBodyHeadersType0Type0,
        )
        from ..models.messages_send_template_body_headers_type_0_type_1_item import (
            MessagesSendTemplateBodyHeadersType0Type1Item,
        )
        from ..models.messages_send_template_body_recipients_item import (
            MessagesSendTemplateBodyRecipientsItem,
        )
        from ..models.messages_send_template_body_reply_to_type_0 import (
            MessagesSendTemplateBodyReplyToType0,
        )
        from ..models.messages_send_template_body_retention_type_0 import (
            MessagesSendTemplateBodyRetentionType0,
        )
        from ..models.messages_send_template_body_schedule_type_0 import (
            MessagesSendTemplateBodyScheduleType0,
        )
        from ..models.messages_send_template_body_tracking_type_0 import (
            MessagesSendTemplateBodyTrackingType0,
        )

        d = dict(src_dict)
        template_id = UUID(d.pop("template_id"))

        recipients = []
        _recipients = d.pop("recipients")
        for recipients_item_data in _recipients:
            recipients_item = MessagesSendTemplateBodyRecipientsItem.from_dict(recipients_item_data)

            recipients.append(recipients_item)

        def _parse_from_(data: object) -> MessagesSendTemplateBodyFromType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                from_type_0 = MessagesSendTemplateBodyFromType0.from_dict(data)

                return from_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessagesSendTemplateBodyFromType0 | None | Unset, data)

        from_ = _parse_from_(d.pop("from", UNSET))

        def _parse_reply_to(data: object) -> MessagesSendTemplateBodyReplyToType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                reply_to_type_0 = MessagesSendTemplateBodyReplyToType0.from_dict(data)

                return reply_to_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessagesSendTemplateBodyReplyToType0 | None | Unset, data)

        reply_to = _parse_reply_to(d.pop("reply_to", UNSET))

        def _parse_subject(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        subject = _parse_subject(d.pop("subject", UNSET))

        def _parse_attachments(data: object) -> list[MessagesSendTemplateBodyAttachmentsType0Item] | None | Unset:
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
                    attachments_type_0_item = MessagesSendTemplateBodyAttachmentsType0Item.from_dict(
                        attachments_type_0_item_data
                    )

                    attachments_type_0.append(attachments_type_0_item)

                return attachments_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[MessagesSendTemplateBodyAttachmentsType0Item] | None | Unset, data)

        attachments = _parse_attachments(d.pop("attachments", UNSET))

        def _parse_headers(
            data: object,
        ) -> list[MessagesSendTemplateBodyHeadersType0Type1Item] | MessagesSendTemplateBodyHeadersType0Type0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                headers_type_0_type_0 = MessagesSendTemplateBodyHeadersType0Type0.from_dict(data)

                return headers_type_0_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, list):
                    raise TypeError()
                headers_type_0_type_1 = []
                _headers_type_0_type_1 = data
                for headers_type_0_type_1_item_data in _headers_type_0_type_1:
                    headers_type_0_type_1_item = MessagesSendTemplateBodyHeadersType0Type1Item.from_dict(
                        headers_type_0_type_1_item_data
                    )

                    headers_type_0_type_1.append(headers_type_0_type_1_item)

                return headers_type_0_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(
                list[MessagesSendTemplateBodyHeadersType0Type1Item] | MessagesSendTemplateBodyHeadersType0Type0 | None | Unset,
                data,
            )

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
            MessagesSendTemplateBodySandboxResultType1
            | MessagesSendTemplateBodySandboxResultType2Type1
            | MessagesSendTemplateBodySandboxResultType3Type1
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
                sandbox_result_type_1 = check_messages_send_template_body_sandbox_result_type_1(data)

                return sandbox_result_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                sandbox_result_type_2_type_1 = check_messages_send_template_body_sandbox_result_type_2_type_1(data)

                return sandbox_result_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                sandbox_result_type_3_type_1 = check_messages_send_template_body_sandbox_result_type_3_type_1(data)

                return sandbox_result_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(
                MessagesSendTemplateBodySandboxResultType1
                | MessagesSendTemplateBodySandboxResultType2Type1
                | MessagesSendTemplateBodySandboxResultType3Type1
                | None
                | Unset,
                data,
            )

        sandbox_result = _parse_sandbox_result(d.pop("sandbox_result", UNSET))

        def _parse_tracking(data: object) -> MessagesSendTemplateBodyTrackingType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                tracking_type_0 = MessagesSendTemplateBodyTrackingType0.from_dict(data)

                return tracking_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessagesSendTemplateBodyTrackingType0 | None | Unset, data)

        tracking = _parse_tracking(d.pop("tracking", UNSET))

        def _parse_retention(data: object) -> MessagesSendTemplateBodyRetentionType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                retention_type_0 = MessagesSendTemplateBodyRetentionType0.from_dict(data)

                return retention_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessagesSendTemplateBodyRetentionType0 | None | Unset, data)

        retention = _parse_retention(d.pop("retention", UNSET))

        def _parse_schedule(data: object) -> MessagesSendTemplateBodyScheduleType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                schedule_type_0 = MessagesSendTemplateBodyScheduleType0.from_dict(data)

                return schedule_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessagesSendTemplateBodyScheduleType0 | None | Unset, data)

        schedule = _parse_schedule(d.pop("schedule", UNSET))

        messages_send_template_body = cls(
            template_id=template_id,
            recipients=recipients,
            from_=from_,
            reply_to=reply_to,
            subject=subject,
            attachments=attachments,
            headers=headers,
            tags=tags,
            sandbox=sandbox,
            sandbox_result=sandbox_result,
            tracking=tracking,
            retention=retention,
            schedule=schedule,
        )

        return messages_send_template_body
