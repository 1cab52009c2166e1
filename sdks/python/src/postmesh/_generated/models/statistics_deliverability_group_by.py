from typing import Literal

StatisticsDeliverabilityGroupBy = Literal["day", "hour", "month", "week"]

STATISTICS_DELIVERABILITY_GROUP_BY_VALUES: set[StatisticsDeliverabilityGroupBy] = {
    "day",
    "hour",
    "month",
    "week",
}


def check_statistics_deliverability_group_by(value: str) -> StatisticsDeliverabilityGroupBy:
    if value in STATISTICS_DELIVERABILITY_GROUP_BY_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {STATISTICS_DELIVERABILITY_GROUP_BY_VALUES!r}")
