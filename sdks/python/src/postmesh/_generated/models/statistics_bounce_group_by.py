from typing import Literal

StatisticsBounceGroupBy = Literal["day", "hour", "month", "week"]

STATISTICS_BOUNCE_GROUP_BY_VALUES: set[StatisticsBounceGroupBy] = {
    "day",
    "hour",
    "month",
    "week",
}


def check_statistics_bounce_group_by(value: str) -> StatisticsBounceGroupBy:
    if value in STATISTICS_BOUNCE_GROUP_BY_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {STATISTICS_BOUNCE_GROUP_BY_VALUES!r}")
