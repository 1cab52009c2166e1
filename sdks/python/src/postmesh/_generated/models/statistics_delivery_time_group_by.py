from typing import Literal

StatisticsDeliveryTimeGroupBy = Literal["day", "hour", "month", "week"]

STATISTICS_DELIVERY_TIME_GROUP_BY_VALUES: set[StatisticsDeliveryTimeGroupBy] = {
    "day",
    "hour",
    "month",
    "week",
}


def check_statistics_delivery_time_group_by(value: str) -> StatisticsDeliveryTimeGroupBy:
    if value in STATISTICS_DELIVERY_TIME_GROUP_BY_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {STATISTICS_DELIVERY_TIME_GROUP_BY_VALUES!r}")
