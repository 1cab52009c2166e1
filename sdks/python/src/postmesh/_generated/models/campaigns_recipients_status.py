from typing import Literal

CampaignsRecipientsStatus = Literal[
    "bounced", "canceled", "deferred", "delivered", "failed", "pending", "queued", "skipped", "suppressed"
]

CAMPAIGNS_RECIPIENTS_STATUS_VALUES: set[CampaignsRecipientsStatus] = {
    "bounced",
    "canceled",
    "deferred",
    "delivered",
    "failed",
    "pending",
    "queued",
    "skipped",
    "suppressed",
}


def check_campaigns_recipients_status(value: str) -> CampaignsRecipientsStatus:
    if value in CAMPAIGNS_RECIPIENTS_STATUS_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {CAMPAIGNS_RECIPIENTS_STATUS_VALUES!r}")
