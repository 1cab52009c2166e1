import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MessageReceived, type EventOf } from '@postmesh/contracts';
import { Consumes, type AfterCommit, type Consumer } from '@postmesh/service-host';
import { EventMatcher } from '../match-events/event-matcher.js';
import { receptionOfInbound } from '../webhook-events/event-payloads.rules.js';
import { RouteMatcher } from './route-matcher.js';

/** A message came in: `message.reception`, one per recipient, and the routes that take it (spec 2-messages §16). */
@Injectable()
export class OnMessageReceived implements Consumer<typeof MessageReceived> {
  constructor(
    private readonly matcher: EventMatcher,
    private readonly routes: RouteMatcher,
  ) {}

  @Consumes(MessageReceived, 'webhooks.match-received-messages')
  async handle(tx: EntityManager, events: EventOf<typeof MessageReceived>[]): Promise<AfterCommit | void> {
    const afterCommit = await this.matcher.match(tx, events, ({ account_id, data }) =>
      data.recipients.map((recipient) => receptionOfInbound(account_id, data, recipient)),
    );
    await this.routes.match(tx, events);
    return afterCommit;
  }
}
