from typing import Literal

CampaignsListStatusItem = Literal[
    "canceled", "draft", "failed", "paused", "scheduled", "sending", "sent", "validating", "waiting_for_review"
]

CAMPAIGNS_LIST_STATUS_ITEM_VALUES: set[CampaignsListStatusItem] = {
    "canceled",
    "draft",
    "failed",
    "paused",
    "scheduled",
    "sending",
    "sent",
    "validating",
    "waiting_for_review",
}


def check_campaigns_list_status_item(value: str) -> CampaignsListStatusItem:
    if value in CAMPAIGNS_LIST_STATUS_ITEM_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CAMPAIGNS_LIST_STATUS_ITEM_VALUES!r}")
