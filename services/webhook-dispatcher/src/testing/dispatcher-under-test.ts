import { createHmac } from 'node:crypto';
import { DataSource } from 'typeorm';
import {
  newId,
  WebhookCallAttempted,
  WebhookCallRequested,
  WebhookStopped,
  type EventEnvelope,
} from '@postmesh/contracts';
import { SecretBox } from '@postmesh/secrets';
import { recordEvents, startTestService, type RecordedEvents, type TestService } from '@postmesh/service-testing';
import type { Settings } from '@postmesh/settings';
import type { ReceivedRequest } from '@postmesh/testing';
import { WEBHOOK_DISPATCHER_SERVICE } from '../webhook-dispatcher.definition.js';

export const SECRET = `pm-whsec-${'k3Yp9QxV'.repeat(8)}`;
const WAIT_MS = 20_000;

type Attempted = ReturnType<typeof WebhookCallAttempted.parse>['data'];

export interface DispatcherUnderTest extends TestService {
  /** what the dispatcher told of its attempts, oldest first */
  readonly attempts: Attempted[];
  readonly database: DataSource;
  /** a requested call of a webhook, not yet published */
  request(
    url: string,
    more?: { webhookId?: string; body?: string; dueAt?: Date; sealedSecret?: string },
  ): EventEnvelope<Requested>;
  stopWebhook(webhookId: string): Promise<void>;
  /** resolves when `ready` says so, looked at after every attempt */
  readonly until: RecordedEvents<Attempted>['until'];
  /** calls that are still owed */
  owed(): Promise<{ id: string; attempts: number; reason: string; lease: number }[]>;
}

type Requested = ReturnType<typeof WebhookCallRequested.parse>['data'];

/** A dispatcher that may call this machine and retries a thousand times as fast as the contract says. */
export async function startDispatcher(
  databaseUrl: string,
  settings: Partial<Settings> = {},
): Promise<DispatcherUnderTest> {
  const under = await startTestService(WEBHOOK_DISPATCHER_SERVICE, {
    databaseUrl,
    settings: { outgoingHttpAllow: ['127.0.0.0/8', '::1/128'], webhookRetryScale: 0.001, ...settings },
  });
  const heard = await recordEvents(under.bus, {
    streams: ['webhook-deliveries'],
    pick: attemptOf,
    waitMs: WAIT_MS,
  });
  const database = under.service.get(DataSource);
  const secrets = under.service.get(SecretBox);
  return Object.assign(under, {
    attempts: heard.events,
    database,
    request: (
      url: string,
      more: { webhookId?: string; body?: string; dueAt?: Date; sealedSecret?: string } = {},
    ) => {
      const call_id = newId();
      const webhook_id = more.webhookId ?? newId();
      return WebhookCallRequested.make(
        {
          call_id,
          webhook_id,
          url,
          sealed_secret: more.sealedSecret ?? secrets.seal(SECRET, `webhook/${webhook_id}`),
          webhook_message_id: `msg_${call_id.replaceAll('-', '')}`,
          event_type: 'message.delivered',
          body: more.body ?? `{"type":"message.delivered","webhook_id":"${webhook_id}"}`,
          due_at: (more.dueAt ?? new Date()).toISOString(),
        },
        { account_id: newId() },
      );
    },
    stopWebhook: (webhook_id: string) =>
      under.bus.publish([WebhookStopped.make({ webhook_id, reason: 'deleted' }, { account_id: null })]),
    until: heard.until,
    owed: () => database.query('select id, attempts, reason, lease from owed_calls order by due_at'),
  });
}

const attemptOf = (event: EventEnvelope): Attempted | undefined =>
  event.type === WebhookCallAttempted.type ? WebhookCallAttempted.parse(event).data : undefined;

/** What a receiver does with the headers (spec 2-messages §18.3): the whole secret string is the key. */
export function isSigned({ headers, body }: ReceivedRequest, secret = SECRET): boolean {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body.toString('utf8')}`;
  const mac = createHmac('sha256', secret).update(signed).digest('base64');
  return headers['webhook-signature'] === `v1,${mac}`;
}
