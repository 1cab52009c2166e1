from typing import Literal

MessagesSendConversationBodySandboxResultType2Type1 = Literal["bounce", "defer", "deliver", "fail", "suppress"]

MESSAGES_SEND_CONVERSATION_BODY_SANDBOX_RESULT_TYPE_2_TYPE_1_VALUES: set[
    MessagesSendConversationBodySandboxResultType2Type1
] = {
    "bounce",
    "defer",
    "deliver",
    "fail",
    "suppress",
}


def check_messages_send_conversation_body_sandbox_result_type_2_type_1(
    value: str,
) -> MessagesSendConversationBodySandboxResultType2Type1:
    if value in MESSAGES_SEND_CONVERSATION_BODY_SANDBOX_RESULT_TYPE_2_TYPE_1_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {MESSAGES_SEND_CONVERSATION_BODY_SANDBOX_RESULT_TYPE_2_TYPE_1_VALUES!r}"
    )
