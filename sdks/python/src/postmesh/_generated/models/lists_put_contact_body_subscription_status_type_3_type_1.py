from typing import Literal

ListsPutContactBodySubscriptionStatusType3Type1 = Literal["confirmed", "unconfirmed", "unsubscribed"]

LISTS_PUT_CONTACT_BODY_SUBSCRIPTION_STATUS_TYPE_3_TYPE_1_VALUES: set[ListsPutContactBodySubscriptionStatusType3Type1] = {
    "confirmed",
    "unconfirmed",
    "unsubscribed",
}


def check_lists_put_contact_body_subscription_status_type_3_type_1(
    value: str,
) -> ListsPutContactBodySubscriptionStatusType3Type1:
    if value in LISTS_PUT_CONTACT_BODY_SUBSCRIPTION_STATUS_TYPE_3_TYPE_1_VALUES:
        return value
    raise TypeError(
        f"Unexpected value {value!r}. Expected one of {LISTS_PUT_CONTACT_BODY_SUBSCRIPTION_STATUS_TYPE_3_TYPE_1_VALUES!r}"
    )
