from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.messages_send_conversation_body_sandbox_result_type_1 import (
    MessagesSendConversationBodySandboxResultType1,
    check_messages_send_conversation_body_sandbox_result_type_1,
)
from ..models.messages_send_conversation_body_sandbox_result_type_2_type_1 import (
    MessagesSendConversationBodySandboxResultType2Type1,
    check_messages_send_conversation_body_sandbox_result_type_2_type_1,
)
from ..models.messages_send_conversation_body_sandbox_result_type_3_type_1 import (
    MessagesSendConversationBodySandboxResultType3Type1,
    check_messages_send_conversation_body_sandbox_result_type_3_type_1,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.messages_send_conversation_body_attachments_type_0_item import (
        MessagesSendConversationBodyAttachmentsType0Item,
    )
    from ..models.messages_send_conversation_body_bcc_type_0_item import (
        MessagesSendConversationBodyBccType0Item,
    )
    from ..models.messages_send_conversation_body_cc_type_0_item import (
        MessagesSendConversationBodyCcType0Item,
    )
    from ..models.messages_send_conversation_body_from import (
        MessagesSendConversationBodyFrom,
    )
    from ..models.messages_send_conversation_body_headers_type_0_type_0 import (
        MessagesSendConversationBodyHeadersType0Type0,
    )
    from ..models.messages_send_conversation_body_headers_type_0_type_1_item import (
        MessagesSendConversationBodyHeadersType0Type1Item,
    )
    from ..models.messages_send_conversation_body_reply_to_type_0 import (
        MessagesSendConversationBodyReplyToType0,
    )
    from ..models.messages_send_conversation_body_retention_type_0 import (
        MessagesSendConversationBodyRetentionType0,
    )
    from ..models.messages_send_conversation_body_schedule_type_0 import (
        MessagesSendConversationBodyScheduleType0,
    )
    from ..models.messages_send_conversation_body_to_item import (
        MessagesSendConversationBodyToItem,
    )
    from ..models.messages_send_conversation_body_tracking_type_0 import (
        MessagesSendConversationBodyTrackingType0,
    )


T = TypeVar("T", bound="MessagesSendConversationBody")


@_attrs_define
class MessagesSendConversationBody:
    """
    Attributes:
        from_ (MessagesSendConversationBodyFrom):
        to (list[MessagesSendConversationBodyToItem]):
        subject (str):
        cc (list[MessagesSendConversationBodyCcType0Item] | None | Unset):
        bcc (list[MessagesSendConversationBodyBccType0Item] | None | Unset):
        text_content (None | str | Unset): Needed when there is no `html_content`.
        html_content (None | str | Unset): Needed when there is no `text_content`.
        amp_content (None | str | Unset):
        reply_to (MessagesSendConversationBodyReplyToType0 | None | Unset):
        attachments (list[MessagesSendConversationBodyAttachmentsType0Item] | None | Unset):
        headers (list[MessagesSendConversationBodyHeadersType0Type1Item] | MessagesSendConversationBodyHeadersType0Type0
            | None | Unset):
        tags (list[str] | None | Unset): At most 10 that differ; each is kept once.
        sandbox (bool | None | Unset):
        sandbox_result (MessagesSendConversationBodySandboxResultType1 |
            MessagesSendConversationBodySandboxResultType2Type1 | MessagesSendConversationBodySandboxResultType3Type1 | None
            | Unset):
        tracking (MessagesSendConversationBodyTrackingType0 | None | Unset):
        retention (MessagesSendConversationBodyRetentionType0 | None | Unset): Days for which the record and its content
            are kept.
        schedule (MessagesSendConversationBodyScheduleType0 | None | Unset):
    """

    from_: MessagesSendConversationBodyFrom
    to: list[MessagesSendConversationBodyToItem]
    subject: str
    cc: list[MessagesSendConversationBodyCcType0Item] | None | Unset = UNSET
    bcc: list[MessagesSendConversationBodyBccType0Item] | None | Unset = UNSET
    text_content: None | str | Unset = UNSET
    html_content: None | str | Unset = UNSET
    amp_content: None | str | Unset = UNSET
    reply_to: MessagesSendConversationBodyReplyToType0 | None | Unset = UNSET
    attachments: list[MessagesSendConversationBodyAttachmentsType0Item] | None | Unset = UNSET
    headers: (
        list[MessagesSendConversationBodyHeadersType0Type1Item] | MessagesSendConversationBodyHeadersType0Type0 | None | Unset
    ) = UNSET
    tags: list[str] | None | Unset = UNSET
    sandbox: bool | None | Unset = UNSET
    sandbox_result: (
        MessagesSendConversationBodySandboxResultType1
        | MessagesSendConversationBodySandboxResultType2Type1
        | MessagesSendConversationBodySandboxResultType3Type1
        | None
        | Unset
    ) = UNSET
    tracking: MessagesSendConversationBodyTrackingType0 | None | Unset = UNSET
    retention: MessagesSendConversationBodyRetentionType0 | None | Unset = UNSET
    schedule: MessagesSendConversationBodyScheduleType0 | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.messages_send_conversation_body_headers_type_0_type_0 import (
            MessagesSendConversationBodyHeadersType0Type0,
        )
        from ..models.messages_send_conversation_body_reply_to_type_0 import (
            MessagesSendConversationBodyReplyToType0,
        )
        from ..models.messages_send_conversation_body_retention_type_0 import (
            MessagesSendConversationBodyRetentionType0,
        )
        from ..models.messages_send_conversation_body_schedule_type_0 import (
            MessagesSendConversationBodyScheduleType0,
        )
        from ..models.messages_send_conversation_body_tracking_type_0 import (
            MessagesSendConversationBodyTrackingType0,
        )

        from_ = self.from_.to_dict()

        to = []
        for to_item_data in self.to:
            to_item = to_item_data.to_dict()
            to.append(to_item)

        subject = self.subject

        cc: list[dict[str, Any]] | None | Unset
        if isinstance(self.cc, Unset):
            cc = UNSET
        elif isinstance(self.cc, list):
            cc = []
            for cc_type_0_item_data in self.cc:
                cc_type_0_item = cc_type_0_item_data.to_dict()
                cc.append(cc_type_0_item)

        else:
            cc = self.cc

        bcc: list[dict[str, Any]] | None | Unset
        if isinstance(self.bcc, Unset):
            bcc = UNSET
        elif isinstance(self.bcc, list):
            bcc = []
            for bcc_type_0_item_data in self.bcc:
                bcc_type_0_item = bcc_type_0_item_data.to_dict()
                bcc.append(bcc_type_0_item)

        else:
            bcc = self.bcc

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

        reply_to: dict[str, Any] | None | Unset
        if isinstance(self.reply_to, Unset):
            reply_to = UNSET
        elif isinstance(self.reply_to, MessagesSendConversationBodyReplyToType0):
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
        elif isinstance(self.headers, MessagesSendConversationBodyHeadersType0Type0):
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
        elif isinstance(self.tracking, MessagesSendConversationBodyTrackingType0):
            tracking = self.tracking.to_dict()
        else:
            tracking = self.tracking

        retention: dict[str, Any] | None | Unset
        if isinstance(self.retention, Unset):
            retention = UNSET
        elif isinstance(self.retention, MessagesSendConversationBodyRetentionType0):
            retention = self.retention.to_dict()
        else:
            retention = self.retention

        schedule: dict[str, Any] | None | Unset
        if isinstance(self.schedule, Unset):
            schedule = UNSET
        elif isinstance(self.schedule, MessagesSendConversationBodyScheduleType0):
            schedule = self.schedule.to_dict()
        else:
            schedule = self.schedule

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "from": from_,
                "to": to,
                "subject": subject,
            }
        )
        if cc is not UNSET:
            field_dict["cc"] = cc
        if bcc is not UNSET:
            field_dict["bcc"] = bcc
        if text_content is not UNSET:
            field_dict["text_content"] = text_content
        if html_content is not UNSET:
            field_dict["html_content"] = html_content
        if amp_content is not UNSET:
            field_dict["amp_content"] = amp_content
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
        from ..models.messages_send_conversation_body_attachments_type_0_item import (
            MessagesSendConversationBodyAttachmentsType0Item,
        )
        from ..models.messages_send_conversation_body_bcc_type_0_item import (
            MessagesSendConversationBodyBccType0Item,
        )
        from ..models.messages_send_conversation_body_cc_type_0_item import (
            MessagesSendConversationBodyCcType0Item,
        )
        from ..models.messages_send_conversation_body_from import (
            MessagesSendConversationBodyFrom,
        )
        from ..models.messages_send_conversation_body_headers_type_0_type_0 import (
            MessagesSendConversationBodyHeadersType0Type0,
        )
        from ..models.messages_send_conversation_body_headers_type_0_type_1_item import (
            MessagesSendConversationBodyHeadersType0Type1Item,
        )
        from ..models.messages_send_conversation_body_reply_to_type_0 import (
            MessagesSendConversationBodyReplyToType0,
        )
        from ..models.messages_send_conversation_body_retention_type_0 import (
            MessagesSendConversationBodyRetentionType0,
        )
        from ..models.messages_send_conversation_body_schedule_type_0 import (
            MessagesSendConversationBodyScheduleType0,
        )
        from ..models.messages_send_conversation_body_to_item import (
            MessagesSendConversationBodyToItem,
        )
        from ..models.messages_send_conversation_body_tracking_type_0 import (
            MessagesSendConversationBodyTrackingType0,
        )

        d = dict(src_dict)
        from_ = MessagesSendConversationBodyFrom.from_dict(d.pop("from"))

        to = []
        _to = d.pop("to")
        for to_item_data in _to:
            to_item = MessagesSendConversationBodyToItem.from_dict(to_item_data)

            to.append(to_item)

        subject = d.pop("subject")

        def _parse_cc(data: object) -> list[MessagesSendConversationBodyCcType0Item] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                cc_type_0 = []
                _cc_type_0 = data
                for cc_type_0_item_data in _cc_type_0:
                    cc_type_0_item = MessagesSendConversationBodyCcType0Item.from_dict(cc_type_0_item_data)

                    cc_type_0.append(cc_type_0_item)

                return cc_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[MessagesSendConversationBodyCcType0Item] | None | Unset, data)

        cc = _parse_cc(d.pop("cc", UNSET))

        def _parse_bcc(data: object) -> list[MessagesSendConversationBodyBccType0Item] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                bcc_type_0 = []
                _bcc_type_0 = data
                for bcc_type_0_item_data in _bcc_type_0:
                    bcc_type_0_item = MessagesSendConversationBodyBccType0Item.from_dict(bcc_type_0_item_data)

                    bcc_type_0.append(bcc_type_0_item)

                return bcc_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[MessagesSendConversationBodyBccType0Item] | None | Unset, data)

        bcc = _parse_bcc(d.pop("bcc", UNSET))

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

        def _parse_reply_to(data: object) -> MessagesSendConversationBodyReplyToType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                reply_to_type_0 = MessagesSendConversationBodyReplyToType0.from_dict(data)

                return reply_to_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessagesSendConversationBodyReplyToType0 | None | Unset, data)

        reply_to = _parse_reply_to(d.pop("reply_to", UNSET))

        def _parse_attachments(data: object) -> list[MessagesSendConversationBodyAttachmentsType0Item] | None | Unset:
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
                    attachments_type_0_item = MessagesSendConversationBodyAttachmentsType0Item.from_dict(
                        attachments_type_0_item_data
                    )

                    attachments_type_0.append(attachments_type_0_item)

                return attachments_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[MessagesSendConversationBodyAttachmentsType0Item] | None | Unset, data)

        attachments = _parse_attachments(d.pop("attachments", UNSET))

        def _parse_headers(
            data: object,
        ) -> (
            list[MessagesSendConversationBodyHeadersType0Type1Item]
            | MessagesSendConversationBodyHeadersType0Type0
            | None
            | Unset
        ):
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                headers_type_0_type_0 = MessagesSendConversationBodyHeadersType0Type0.from_dict(data)

                return headers_type_0_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, list):
                    raise TypeError()
                headers_type_0_type_1 = []
                _headers_type_0_type_1 = data
                for headers_type_0_type_1_item_data in _headers_type_0_type_1:
                    headers_type_0_type_1_item = MessagesSendConversationBodyHeadersType0Type1Item.from_dict(
                        headers_type_0_type_1_item_data
                    )

                    headers_type_0_type_1.append(headers_type_0_type_1_item)

                return headers_type_0_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(
                list[MessagesSendConversationBodyHeadersType0Type1Item]
                | MessagesSendConversationBodyHeadersType0Type0
                | None
                | Unset,
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
            MessagesSendConversationBodySandboxResultType1
            | MessagesSendConversationBodySandboxResultType2Type1
            | MessagesSendConversationBodySandboxResultType3Type1
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
                sandbox_result_type_1 = check_messages_send_conversation_body_sandbox_result_type_1(data)

                return sandbox_result_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                sandbox_result_type_2_type_1 = check_messages_send_conversation_body_sandbox_result_type_2_type_1(data)

                return sandbox_result_type_2_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, str):
                    raise TypeError()
                sandbox_result_type_3_type_1 = check_messages_send_conversation_body_sandbox_result_type_3_type_1(data)

                return sandbox_result_type_3_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(
                MessagesSendConversationBodySandboxResultType1
                | MessagesSendConversationBodySandboxResultType2Type1
                | MessagesSendConversationBodySandboxResultType3Type1
                | None
                | Unset,
                data,
            )

        sandbox_result = _parse_sandbox_result(d.pop("sandbox_result", UNSET))

        def _parse_tracking(data: object) -> MessagesSendConversationBodyTrackingType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                tracking_type_0 = MessagesSendConversationBodyTrackingType0.from_dict(data)

                return tracking_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessagesSendConversationBodyTrackingType0 | None | Unset, data)

        tracking = _parse_tracking(d.pop("tracking", UNSET))

        def _parse_retention(data: object) -> MessagesSendConversationBodyRetentionType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                retention_type_0 = MessagesSendConversationBodyRetentionType0.from_dict(data)

                return retention_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessagesSendConversationBodyRetentionType0 | None | Unset, data)

        retention = _parse_retention(d.pop("retention", UNSET))

        def _parse_schedule(data: object) -> MessagesSendConversationBodyScheduleType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                schedule_type_0 = MessagesSendConversationBodyScheduleType0.from_dict(data)

                return schedule_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(MessagesSendConversationBodyScheduleType0 | None | Unset, data)

        schedule = _parse_schedule(d.pop("schedule", UNSET))

        messages_send_conversation_body = cls(
            from_=from_,
            to=to,
            subject=subject,
            cc=cc,
            bcc=bcc,
            text_content=text_content,
            html_content=html_content,
            amp_content=amp_content,
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

        return messages_send_conversation_body
