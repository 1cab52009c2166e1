from typing import Literal

MessagesSendTemplateBodySandboxResultType1 = Literal["bounce", "defer", "deliver", "fail", "suppress"]

MESSAGES_SEND_TEMPLATE_BODY_SANDBOX_RESULT_TYPE_1_VALUES: set[MessagesSendTemplateBodySandboxResultType1] = {
    "bounce",
    "defer",
    "deliver",
    "fail",
    "suppress",
}


def check_messages_send_template_body_sandbox_result_type_1(value: str) -> MessagesSendTemplateBodySandboxResultType1:
    if value in MESSAGES_SEND_TEMPLATE_BODY_SANDBOX_RESULT_TYPE_1_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {MESSAGES_SEND_TEMPLATE_BODY_SANDBOX_RESULT_TYPE_1_VALUES!r}")
