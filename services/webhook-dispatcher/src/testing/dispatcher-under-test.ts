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
import { startTestService, type TestService } from '@postmesh/service-testing';
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
  until<T>(ready: () => T | undefined | false): Promise<T>;
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
  const attempts: Attempted[] = [];
  const looks = new Set<() => void>();
  await under.bus.subscribe({
    group: `test-${newId()}`,
    streams: ['webhook-deliveries'],
    handle: async (received) => {
      const events = received.map(({ event }) => event as EventEnvelope);
      const told = events.filter(({ type }) => type === WebhookCallAttempted.type);
      attempts.push(...told.map((event) => WebhookCallAttempted.parse(event).data));
      for (const look of looks) look();
    },
  });
  const database = under.service.get(DataSource);
  const secrets = under.service.get(SecretBox);
  return Object.assign(under, {
    attempts,
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
    until: <T>(ready: () => T | undefined | false) => waitUntil(ready, looks),
    owed: () => database.query('select id, attempts, reason, lease from owed_calls order by due_at'),
  });
}

function waitUntil<T>(ready: () => T | undefined | false, looks: Set<() => void>): Promise<T> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const found = ready();
      if (found === undefined || found === false) return;
      clearTimeout(limit);
      looks.delete(look);
      resolve(found);
    };
    const limit = setTimeout(() => {
      looks.delete(look);
      reject(new Error('what was waited for did not come'));
    }, WAIT_MS);
    looks.add(look);
    look();
  });
}

/** What a receiver does with the headers (spec 2-messages §18.3): the whole secret string is the key. */
export function isSigned({ headers, body }: ReceivedRequest, secret = SECRET): boolean {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body.toString('utf8')}`;
  const mac = createHmac('sha256', secret).update(signed).digest('base64');
  return headers['webhook-signature'] === `v1,${mac}`;
}
