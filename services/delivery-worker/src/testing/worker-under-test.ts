import { generateKeyPairSync } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { DataSource } from 'typeorm';
import { DeliveryAttempted } from '@postmesh/delivery-worker-contract';
import { MessageAccepted } from '@postmesh/messages-contract';
import { newId, type EventEnvelope, type SandboxResult } from '@postmesh/contracts';
import { writeRequestContent, type RequestContent } from '@postmesh/message-content';
import { startTestService, type TestService } from '@postmesh/service-testing';
import type { Settings } from '@postmesh/settings';
import { DELIVERY_WORKER_SERVICE } from '../delivery-worker.definition.js';
import { DeliveryQueue } from '../queue/delivery-queue.js';
import { KeepCopy } from '../suppressions/keep-copy.js';
import { a, mx, NameServer } from './name-server.js';

const WAIT_MS = 20_000;
/** Every host may have twenty connections at once: only tests of limits begin with those of the provider table. */
const OPEN_LIMITS = fileURLToPath(new URL('./open-limits.json', import.meta.url));
export const ACCOUNT = newId();
export const DOMAIN_ID = newId();

export type Attempted = ReturnType<typeof DeliveryAttempted.parse>['data'];
type Accepted = ReturnType<typeof MessageAccepted.parse>['data'];

/** The domains service's answer about a signing key. */
export type KeyAnswer = (domainId: string) => { status: number; body: unknown };

const PEM = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

export const signingKey: KeyAnswer = () => ({
  status: 200,
  body: { key_id: 'key-1', domain: 'shop.test', selector: 'pm1', private_key_pem: PEM },
});

export interface MessageWanted {
  to?: readonly string[];
  text?: string;
  domainId?: string;
  accountId?: string;
  firstAttempt?: Date;
  expires?: Date;
  sandbox?: SandboxResult;
  /** the content is never stored */
  contentGone?: boolean;
  /** bytes, when the event has another size than the content */
  size?: number;
  /** each recipient gets a message of their own: the content by the ids of the messages */
  own?: (ids: readonly string[]) => Partial<RequestContent>;
  tracking?: Accepted['tracking'];
  /** the message as a client composed it */
  raw?: string;
  nullSender?: true;
}

interface Waiting {
  id: string;
  account_id: string;
  recipient: string;
  destination: string;
  state: 'ready' | 'waiting' | 'leased' | 'suspended';
  due_at: Date;
  attempts: number;
  first_attempt_at: Date | null;
  lease_owner: string | null;
  leased_until: Date | null;
  reason: string;
  suspended_until: Date | null;
}

export interface WorkerUnderTest extends TestService {
  /** the attempts that the worker published, oldest first */
  readonly published: Attempted[];
  readonly database: DataSource;
  /** an accepted message, its content stored, not yet published */
  message(wanted?: MessageWanted): Promise<EventEnvelope<Accepted>>;
  /** stores and publishes; @returns the ids of the messages */
  accept(wanted?: MessageWanted): Promise<string[]>;
  /** resolves when the worker published this of the message */
  outcome(id: string, outcome: Attempted['outcome']): Promise<Attempted>;
  until<T>(ready: () => T | undefined | false): Promise<T>;
  deliveries(): Promise<Waiting[]>;
  /** makes waiting deliveries due now */
  makeDue(): Promise<void>;
}

export interface WorkerParts {
  databaseUrl: string;
  /** the port of every remote host */
  port: number;
  settings?: Partial<Settings>;
  /** true: its periodic tasks run; else the copy of suppressions is complete at the start all the same */
  periodic?: boolean;
  domains?: KeyAnswer;
  /** the accounts service's answer at the start of the worker; no suspended accounts unless given */
  accounts?: (request: { path: string }) => { status: number; body: unknown };
  /** the messages service's answer to an incomplete copy of suppressions; no suppressions unless given */
  messages?: (request: { path: string }) => { status: number; body: unknown };
  dns?: NameServer;
}

/** `<anything>.test` has one mail host of its own, on 127.0.0.1 unless its name contains `on-<n>`: then 127.0.0.<n>. */
export const startNameServer = (port?: number): Promise<NameServer> =>
  NameServer.start((name, type) => {
    if (!name.endsWith('.test')) return 'NXDOMAIN';
    if (name.startsWith('mx.')) {
      const last = /on-(\d+)/.exec(name)?.[1] ?? '1';
      return type === 'A' ? [a(name, `127.0.0.${last}`)] : [];
    }
    return type === 'MX' ? [mx(name, `mx.${name}`, 10)] : [];
  }, port);

/** A worker with real SMTP, DNS, database and bus; it speaks to loopback only. */
export async function startWorker(parts: WorkerParts): Promise<WorkerUnderTest> {
  const dns = parts.dns ?? (await startNameServer());
  const keys = parts.domains ?? signingKey;
  const under = await startTestService(DELIVERY_WORKER_SERVICE, {
    databaseUrl: parts.databaseUrl,
    ...(parts.periodic === undefined ? {} : { periodic: parts.periodic }),
    settings: {
      logLevel: 'silent',
      remoteSmtpPort: parts.port,
      dnsServers: [dns.address],
      // One query less for the name server of the test, which shares its CPU.
      validatingResolvers: ['off'],
      allowPrivateMx: true,
      shapingFile: OPEN_LIMITS,
      ...parts.settings,
    },
    neighbours: {
      domains: ({ path }) => keys(path.split('/')[3] ?? ''),
      accounts: parts.accounts ?? (() => ({ status: 200, body: { accounts: [], next: null } })),
      messages: parts.messages ?? (() => ({ status: 200, body: { suppressions: [], next: null } })),
    },
  });
  if (parts.periodic !== true) await under.service.get(KeepCopy).keep(new AbortController().signal);
  const published: Attempted[] = [];
  const looks = new Set<() => void>();
  await under.bus.subscribe({
    group: `test-${newId()}`,
    streams: ['deliveries'],
    handle: async (received) => {
      published.push(
        ...received.map(({ text }) => DeliveryAttempted.parse(JSON.parse(text) as EventEnvelope).data),
      );
      for (const look of looks) look();
    },
  });
  const database = under.service.get(DataSource);
  const until = <T>(ready: () => T | undefined | false) => waitUntil(ready, looks);
  const message = (wanted: MessageWanted = {}) => makeMessage(under, wanted);
  let stopping: Promise<void> | undefined;
  const stop = () =>
    (stopping ??= under.stop().then(() => (parts.dns === undefined ? dns.stop() : undefined)));
  return Object.assign(
    { ...under },
    {
      published,
      database,
      message,
      until,
      stop,
      accept: async (wanted: MessageWanted = {}) => {
        const event = await message(wanted);
        await under.bus.publish([event]);
        return event.data.recipients.map(({ id }) => id);
      },
      outcome: (id: string, outcome: Attempted['outcome']) =>
        until(() => published.find((one) => one.message_id === id && one.outcome === outcome)),
      deliveries: () => database.query('select * from deliveries order by due_at, id') as Promise<Waiting[]>,
      makeDue: async () => {
        await database.query(`update deliveries set due_at = now() where state = 'waiting'`);
        under.service.get(DeliveryQueue).queue.wake();
      },
    },
  );
}

async function makeMessage(under: TestService, wanted: MessageWanted): Promise<EventEnvelope<Accepted>> {
  const recipients = (wanted.to ?? ['ann@mail.test']).map((email) => ({ id: newId(), email }));
  const messageIdOf = (id: string) => `<${id}@shop.test>`;
  const messageId = messageIdOf(recipients[0]?.id ?? '');
  const shared = { to: recipients.slice(0, 1).map(({ email }) => ({ email })), messageId };
  const content = {
    id: newId(),
    bytes: writeRequestContent(
      wanted.raw !== undefined
        ? { raw: [Buffer.from(wanted.raw, 'latin1')] }
        : {
            from: { email: 'news@shop.test' },
            subject: 'Your order',
            date: new Date(),
            text: wanted.text ?? 'It is on its way.',
            ...(wanted.own ? wanted.own(recipients.map(({ id }) => id)) : shared),
          },
    ),
  };
  if (!wanted.contentGone) await under.context.blobs.put([content]);
  return MessageAccepted.make(
    {
      send_request_id: recipients[0]?.id ?? '',
      domain_id: wanted.domainId ?? DOMAIN_ID,
      domain: 'shop.test',
      sender: 'news@shop.test',
      subject: 'Your order',
      message_id_header: messageId,
      content_id: content.id,
      size: wanted.size ?? content.bytes.length,
      return_path_host: 'rp.shop.test',
      accepted_at: new Date().toISOString(),
      first_attempt: wanted.firstAttempt?.toISOString() ?? null,
      expires: wanted.expires?.toISOString() ?? null,
      sandbox: wanted.sandbox ?? null,
      ...(wanted.tracking ? { tracking: wanted.tracking } : {}),
      ...(wanted.nullSender ? { null_sender: wanted.nullSender } : {}),
      recipients: recipients.map((recipient, nth) =>
        wanted.own && nth > 0 ? { ...recipient, message_id_header: messageIdOf(recipient.id) } : recipient,
      ),
    },
    { account_id: wanted.accountId ?? ACCOUNT },
  );
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
      reject(new Error('the expected event did not come'));
    }, WAIT_MS);
    looks.add(look);
    look();
  });
}
