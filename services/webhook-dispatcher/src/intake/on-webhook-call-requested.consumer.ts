import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WebhookCallRequested, type EventOf } from '@postmesh/contracts';
import { Consumes, type AfterCommit, type Consumer } from '@postmesh/service-host';
import { DispatchLoop } from '../dispatch/dispatch-loop.js';
import { PostgresOwedCalls } from '../postgres/postgres-owed-calls.js';

/** A webhook matched an event: from now on the call is owed. */
@Injectable()
export class OnWebhookCallRequested implements Consumer<typeof WebhookCallRequested> {
  constructor(
    private readonly calls: PostgresOwedCalls,
    private readonly loop: DispatchLoop,
  ) {}

  @Consumes(WebhookCallRequested, 'webhook-dispatcher.intake')
  async handle(tx: EntityManager, events: EventOf<typeof WebhookCallRequested>[]): Promise<AfterCommit> {
    await this.calls.add(
      tx,
      events.map(({ account_id, trace, data }) => ({
        id: data.call_id,
        webhookId: data.webhook_id,
        accountId: account_id,
        trace,
        url: data.url,
        sealedSecret: data.sealed_secret,
        webhookMessageId: data.webhook_message_id,
        eventType: data.event_type,
        body: data.body,
        dueAt: data.due_at,
      })),
    );
    return () => this.loop.wake();
  }
}
