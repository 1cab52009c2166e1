from typing import Literal

MessagesSendBodySandboxResultType1 = Literal["bounce", "defer", "deliver", "fail", "suppress"]

MESSAGES_SEND_BODY_SANDBOX_RESULT_TYPE_1_VALUES: set[MessagesSendBodySandboxResultType1] = {
    "bounce",
    "defer",
    "deliver",
    "fail",
    "suppress",
}


def check_messages_send_body_sandbox_result_type_1(value: str) -> MessagesSendBodySandboxResultType1:
    if value in MESSAGES_SEND_BODY_SANDBOX_RESULT_TYPE_1_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {MESSAGES_SEND_BODY_SANDBOX_RESULT_TYPE_1_VALUES!r}")
