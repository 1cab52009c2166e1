import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  BounceReported,
  changeByAttempt,
  changeByFetch,
  changeByReport,
  MessageTracked,
} from '@postmesh/messages-contract';
import { DeliveryAttempted } from '@postmesh/delivery-worker-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { changeOf } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher } from './event-matcher.js';

// Changes of messages as the release before decision 108 publishes them. The next release deletes this file.

@Controller()
class OnDeliveryAttempted {
  constructor(private readonly matcher: EventMatcher) {}

  @Consumes(DeliveryAttempted, 'webhooks.match-delivery-attempts')
  async handle(
    @Payload() events: EventOf<typeof DeliveryAttempted>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    afterCommit(await this.matcher.match(tx, events.map(changeByAttempt), changeOf));
  }
}

@Controller()
class OnBounceReported {
  constructor(private readonly matcher: EventMatcher) {}

  @Consumes(BounceReported, 'webhooks.match-reported-bounces')
  async handle(
    @Payload() events: EventOf<typeof BounceReported>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    afterCommit(await this.matcher.match(tx, events.map(changeByReport), changeOf));
  }
}

@Controller()
class OnMessageTracked {
  constructor(private readonly matcher: EventMatcher) {}

  @Consumes(MessageTracked, 'webhooks.match-tracked-messages')
  async handle(
    @Payload() events: EventOf<typeof MessageTracked>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    afterCommit(await this.matcher.match(tx, events.map(changeByFetch), changeOf));
  }
}

export const FORMER_EVENTS = [OnDeliveryAttempted, OnBounceReported, OnMessageTracked];
