import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SuppressionsChanged, type EventOf, type SuppressionChange } from '@postmesh/contracts';
import { Consumes, type AfterCommit, type Consumer } from '@postmesh/service-host';
import { suppressionCreatedOf } from '../webhook-events/event-payloads.rules.js';
import { EventMatcher } from './event-matcher.js';

/** A new row of a suppression list: `suppression.created`. */
@Injectable()
export class OnSuppressionsChanged implements Consumer<typeof SuppressionsChanged> {
  constructor(private readonly matcher: EventMatcher) {}

  @Consumes(SuppressionsChanged, 'webhooks.match-suppressions')
  handle(tx: EntityManager, events: EventOf<typeof SuppressionsChanged>[]): Promise<AfterCommit | void> {
    return this.matcher.match(tx, events, ({ account_id, data }) =>
      data.changes.filter(isTold).map((change) => suppressionCreatedOf(account_id, change)),
    );
  }
}

/** Not of what an operator imported: nobody asked for a hundred thousand calls. */
const isTold = ({ kind, source }: SuppressionChange): boolean => kind === 'created' && source !== 'import';
