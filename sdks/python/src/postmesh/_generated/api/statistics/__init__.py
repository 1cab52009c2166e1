from __future__ import annotations

import builtins
import datetime
from typing import Any, cast
from uuid import UUID

from ...._resource import AsyncResource, Resource
from ...models.bounce_bucket_list import BounceBucketList
from ...models.deliverability_bucket_list import DeliverabilityBucketList
from ...models.delivery_time_bucket_list import DeliveryTimeBucketList
from ...models.error import Error
from ...models.statistics_bounce_group_by import (
    StatisticsBounceGroupBy,
    check_statistics_bounce_group_by,
)
from ...models.statistics_deliverability_group_by import (
    StatisticsDeliverabilityGroupBy,
    check_statistics_deliverability_group_by,
)
from ...models.statistics_delivery_time_group_by import (
    StatisticsDeliveryTimeGroupBy,
    check_statistics_delivery_time_group_by,
)
from ...types import UNSET, Unset
from . import statistics_bounce, statistics_deliverability, statistics_delivery_time


class StatisticsOperations(Resource):
    def deliverability(
        self,
        *,
        from_time: datetime.datetime | Unset = UNSET,
        to_time: datetime.datetime | Unset = UNSET,
        sender_domain: str | Unset = UNSET,
        recipient_domains: str | Unset = UNSET,
        tags: str | Unset = UNSET,
        group_by: StatisticsDeliverabilityGroupBy | Unset = "day",
    ) -> DeliverabilityBucketList:
        """Count what became of messages

        Messages that were sent through the API and over SMTP, without those of campaigns and of the
        sandbox. What happens
        counts at the time when it happens, each message once per column; only what lies inside `[from_time,
        to_time)` is counted.
        Figures appear within a minute and are kept for 13 months.

        Opens and clicks are counted where they are tracked. While the account does not (`track_opens`,
        `track_clicks`), a header
        `Postmesh-Notice` says so.

        Needs the scope `statistics-transactional:read:all`, or `statistics-transactional:read:{domain}` for
        the domain that it is about.

        Statistics have a rate limit of their own: one request per second.

        """
        return cast(
            "DeliverabilityBucketList",
            self._call(
                statistics_deliverability,
                account_id=self._account_id,
                from_time=from_time,
                to_time=to_time,
                sender_domain=sender_domain,
                recipient_domains=recipient_domains,
                tags=tags,
                group_by=group_by,
            ),
        )

    def bounce(
        self,
        *,
        from_time: datetime.datetime | Unset = UNSET,
        to_time: datetime.datetime | Unset = UNSET,
        sender_domain: str | Unset = UNSET,
        recipient_domains: str | Unset = UNSET,
        tags: str | Unset = UNSET,
        group_by: StatisticsBounceGroupBy | Unset = "day",
    ) -> BounceBucketList:
        """Count bounces by kind

        Messages that were sent through the API and over SMTP, without those of campaigns and of the
        sandbox. What happens
        counts at the time when it happens, each message once per column; only what lies inside `[from_time,
        to_time)` is counted.
        Figures appear within a minute and are kept for 13 months.

        Needs the scope `statistics-transactional:read:all`, or `statistics-transactional:read:{domain}` for
        the domain that it is about.

        Statistics have a rate limit of their own: one request per second.

        """
        return cast(
            "BounceBucketList",
            self._call(
                statistics_bounce,
                account_id=self._account_id,
                from_time=from_time,
                to_time=to_time,
                sender_domain=sender_domain,
                recipient_domains=recipient_domains,
                tags=tags,
                group_by=group_by,
            ),
        )

    def delivery_time(
        self,
        *,
        from_time: datetime.datetime | Unset = UNSET,
        to_time: datetime.datetime | Unset = UNSET,
        sender_domain: str | Unset = UNSET,
        recipient_domains: str | Unset = UNSET,
        tags: str | Unset = UNSET,
        group_by: StatisticsDeliveryTimeGroupBy | Unset = "day",
    ) -> DeliveryTimeBucketList:
        """Measure how long deliveries took

        Messages that were sent through the API and over SMTP, without those of campaigns and of the
        sandbox. What happens
        counts at the time when it happens, each message once per column; only what lies inside `[from_time,
        to_time)` is counted.
        Figures appear within a minute and are kept for 13 months.

        All buckets together list up to 100,000 recipient domains, those with most messages in each;
        averages and counts are of all.

        Needs the scope `statistics-transactional:read:all`, or `statistics-transactional:read:{domain}` for
        the domain that it is about.

        Statistics have a rate limit of their own: one request per second.

        """
        return cast(
            "DeliveryTimeBucketList",
            self._call(
                statistics_delivery_time,
                account_id=self._account_id,
                from_time=from_time,
                to_time=to_time,
                sender_domain=sender_domain,
                recipient_domains=recipient_domains,
                tags=tags,
                group_by=group_by,
            ),
        )


class AsyncStatisticsOperations(AsyncResource):
    async def deliverability(
        self,
        *,
        from_time: datetime.datetime | Unset = UNSET,
        to_time: datetime.datetime | Unset = UNSET,
        sender_domain: str | Unset = UNSET,
        recipient_domains: str | Unset = UNSET,
        tags: str | Unset = UNSET,
        group_by: StatisticsDeliverabilityGroupBy | Unset = "day",
    ) -> DeliverabilityBucketList:
        """Count what became of messages

        Messages that were sent through the API and over SMTP, without those of campaigns and of the
        sandbox. What happens
        counts at the time when it happens, each message once per column; only what lies inside `[from_time,
        to_time)` is counted.
        Figures appear within a minute and are kept for 13 months.

        Opens and clicks are counted where they are tracked. While the account does not (`track_opens`,
        `track_clicks`), a header
        `Postmesh-Notice` says so.

        Needs the scope `statistics-transactional:read:all`, or `statistics-transactional:read:{domain}` for
        the domain that it is about.

        Statistics have a rate limit of their own: one request per second.

        """
        return cast(
            "DeliverabilityBucketList",
            await self._call(
                statistics_deliverability,
                account_id=self._account_id,
                from_time=from_time,
                to_time=to_time,
                sender_domain=sender_domain,
                recipient_domains=recipient_domains,
                tags=tags,
                group_by=group_by,
            ),
        )

    async def bounce(
        self,
        *,
        from_time: datetime.datetime | Unset = UNSET,
        to_time: datetime.datetime | Unset = UNSET,
        sender_domain: str | Unset = UNSET,
        recipient_domains: str | Unset = UNSET,
        tags: str | Unset = UNSET,
        group_by: StatisticsBounceGroupBy | Unset = "day",
    ) -> BounceBucketList:
        """Count bounces by kind

        Messages that were sent through the API and over SMTP, without those of campaigns and of the
        sandbox. What happens
        counts at the time when it happens, each message once per column; only what lies inside `[from_time,
        to_time)` is counted.
        Figures appear within a minute and are kept for 13 months.

        Needs the scope `statistics-transactional:read:all`, or `statistics-transactional:read:{domain}` for
        the domain that it is about.

        Statistics have a rate limit of their own: one request per second.

        """
        return cast(
            "BounceBucketList",
            await self._call(
                statistics_bounce,
                account_id=self._account_id,
                from_time=from_time,
                to_time=to_time,
                sender_domain=sender_domain,
                recipient_domains=recipient_domains,
                tags=tags,
                group_by=group_by,
            ),
        )

    async def delivery_time(
        self,
        *,
        from_time: datetime.datetime | Unset = UNSET,
        to_time: datetime.datetime | Unset = UNSET,
        sender_domain: str | Unset = UNSET,
        recipient_domains: str | Unset = UNSET,
        tags: str | Unset = UNSET,
        group_by: StatisticsDeliveryTimeGroupBy | Unset = "day",
    ) -> DeliveryTimeBucketList:
        """Measure how long deliveries took

        Messages that were sent through the API and over SMTP, without those of campaigns and of the
        sandbox. What happens
        counts at the time when it happens, each message once per column; only what lies inside `[from_time,
        to_time)` is counted.
        Figures appear within a minute and are kept for 13 months.

        All buckets together list up to 100,000 recipient domains, those with most messages in each;
        averages and counts are of all.

        Needs the scope `statistics-transactional:read:all`, or `statistics-transactional:read:{domain}` for
        the domain that it is about.

        Statistics have a rate limit of their own: one request per second.

        """
        return cast(
            "DeliveryTimeBucketList",
            await self._call(
                statistics_delivery_time,
                account_id=self._account_id,
                from_time=from_time,
                to_time=to_time,
                sender_domain=sender_domain,
                recipient_domains=recipient_domains,
                tags=tags,
                group_by=group_by,
            ),
        )
