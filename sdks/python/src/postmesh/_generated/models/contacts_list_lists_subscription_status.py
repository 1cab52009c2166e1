from typing import Literal

ContactsListListsSubscriptionStatus = Literal["complained", "confirmed", "unconfirmed", "unsubscribed"]

CONTACTS_LIST_LISTS_SUBSCRIPTION_STATUS_VALUES: set[ContactsListListsSubscriptionStatus] = {
    "complained",
    "confirmed",
    "unconfirmed",
    "unsubscribed",
}


def check_contacts_list_lists_subscription_status(value: str) -> ContactsListListsSubscriptionStatus:
    if value in CONTACTS_LIST_LISTS_SUBSCRIPTION_STATUS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CONTACTS_LIST_LISTS_SUBSCRIPTION_STATUS_VALUES!r}")
