import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DataSource } from 'typeorm';
import { WebhookCallRequested, type EventEnvelope } from '@postmesh/contracts';
import { Inbox } from '@postmesh/outbox';
import { Hears } from '@postmesh/service-host';
import { DispatchLoop } from '../dispatch/dispatch-loop.js';
import { PostgresOwedCalls } from '../postgres/postgres-owed-calls.js';

/** A webhook matched an event: from now on the call is owed. */
@Controller()
export class OnWebhookCallRequested {
  constructor(
    private readonly dataSource: DataSource,
    private readonly inbox: Inbox,
    private readonly calls: PostgresOwedCalls,
    private readonly loop: DispatchLoop,
  ) {}

  @Hears(WebhookCallRequested)
  async on(@Payload() events: EventEnvelope[]): Promise<void> {
    const parsed = events.map((event) => WebhookCallRequested.parse(event));
    await this.dataSource.transaction(async (manager) => {
      const fresh = await this.inbox.admit(manager, 'webhook-dispatcher.intake', parsed);
      await this.calls.add(
        manager,
        fresh.map(({ account_id, trace, data }) => ({
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
    });
    this.loop.wake();
  }
}
