import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { SuppressionsChanged, type SuppressionChange } from '@postmesh/messages-contract';
import type { EventOf } from '@postmesh/contracts';
import { Consumes, type EventContext } from '@postmesh/service-host';
import { suppressionCreatedOf } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher } from './event-matcher.js';

/** A new row of a suppression list: `suppression.created`. */
@Controller()
export class OnSuppressionsChanged {
  constructor(private readonly matcher: EventMatcher) {}

  @Consumes(SuppressionsChanged, 'webhooks.match-suppressions')
  async handle(
    @Payload() events: EventOf<typeof SuppressionsChanged>[],
    @Ctx() { tx, afterCommit }: EventContext,
  ): Promise<void> {
    afterCommit(
      await this.matcher.match(tx, events, ({ account_id, data }) =>
        data.changes.filter(isTold).map((change) => suppressionCreatedOf(account_id, change)),
      ),
    );
  }
}

/** Without rows imported by an operator, which would cause a hundred thousand calls. */
const isTold = ({ kind, source }: SuppressionChange): boolean => kind === 'created' && source !== 'import';
