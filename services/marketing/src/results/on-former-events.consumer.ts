import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  BounceReported,
  changeByAttempt,
  changeByComplaint,
  changeByFetch,
  changeByReport,
  ComplaintReported,
  MessageTracked,
} from '@postmesh/messages-contract';
import { DeliveryAttempted } from '@postmesh/delivery-worker-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { RecordChanges } from './record-changes.js';

// Changes of messages as the release before decision 108 publishes them. The next release deletes this file.

@Controller()
class OnDeliveryAttempted {
  constructor(private readonly changes: RecordChanges) {}

  @Consumes(DeliveryAttempted, 'marketing.delivery-outcomes')
  async handle(
    @Payload() events: EventOf<typeof DeliveryAttempted>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    afterCommit(await this.changes.execute(tx, events.map(changeByAttempt)));
  }
}

@Controller()
class OnBounceReported {
  constructor(private readonly changes: RecordChanges) {}

  @Consumes(BounceReported, 'marketing.bounce-reports')
  async handle(
    @Payload() events: EventOf<typeof BounceReported>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    afterCommit(await this.changes.execute(tx, events.map(changeByReport)));
  }
}

@Controller()
class OnMessageTracked {
  constructor(private readonly changes: RecordChanges) {}

  @Consumes(MessageTracked, 'marketing.tracking')
  async handle(
    @Payload() events: EventOf<typeof MessageTracked>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    afterCommit(await this.changes.execute(tx, events.map(changeByFetch)));
  }
}

@Controller()
class OnComplaintReported {
  constructor(private readonly changes: RecordChanges) {}

  @Consumes(ComplaintReported, 'marketing.complaints')
  async handle(
    @Payload() events: EventOf<typeof ComplaintReported>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    afterCommit(await this.changes.execute(tx, events.map(changeByComplaint)));
  }
}

export const FORMER_EVENTS = [OnDeliveryAttempted, OnBounceReported, OnMessageTracked, OnComplaintReported];
