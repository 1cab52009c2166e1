from typing import Literal

ListsListContactsSubscriptionStatus = Literal["complained", "confirmed", "unconfirmed", "unsubscribed"]

LISTS_LIST_CONTACTS_SUBSCRIPTION_STATUS_VALUES: set[ListsListContactsSubscriptionStatus] = {
    "complained",
    "confirmed",
    "unconfirmed",
    "unsubscribed",
}


def check_lists_list_contacts_subscription_status(value: str) -> ListsListContactsSubscriptionStatus:
    if value in LISTS_LIST_CONTACTS_SUBSCRIPTION_STATUS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {LISTS_LIST_CONTACTS_SUBSCRIPTION_STATUS_VALUES!r}")
