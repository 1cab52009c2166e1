from typing import Literal

ListsPutContactBodySubscriptionStatusType1 = Literal["confirmed", "unconfirmed", "unsubscribed"]

LISTS_PUT_CONTACT_BODY_SUBSCRIPTION_STATUS_TYPE_1_VALUES: set[ListsPutContactBodySubscriptionStatusType1] = {
    "confirmed",
    "unconfirmed",
    "unsubscribed",
}


def check_lists_put_contact_body_subscription_status_type_1(value: str) -> ListsPutContactBodySubscriptionStatusType1:
    if value in LISTS_PUT_CONTACT_BODY_SUBSCRIPTION_STATUS_TYPE_1_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {LISTS_PUT_CONTACT_BODY_SUBSCRIPTION_STATUS_TYPE_1_VALUES!r}")
