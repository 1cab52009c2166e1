import { DataSource } from 'typeorm';
import { MessageAccepted } from '@postmesh/messages-contract';
import { newId, type EventOf } from '@postmesh/contracts';
import {
  recordEvents,
  startTestService,
  type RecordedEvents,
  type TestRequest,
  type TestService,
} from '@postmesh/service-testing';
import type { Settings } from '@postmesh/settings';
import { templateVariables } from '@postmesh/templates';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { DOMAIN } from './domain.js';

/** The service with a domains service that has shop.test, other.test, unchecked.test and paused.test. */
export interface SendsUnderTest extends TestService {
  readonly accepted: RecordedEvents<EventOf<typeof MessageAccepted>>;
  /** `POST …/messages<kind>` of the default account */
  send(kind: '' | '/conversation' | '/template', body: unknown, request?: TestRequest): Sent;
  sql<Row>(text: string, parameters?: unknown[]): Promise<Row[]>;
  /** the statements of sends that run meanwhile */
  statementsOf(work: () => Promise<unknown>): Promise<string[]>;
  /** @returns the id of a template with this published copy */
  template(copy?: TestCopy): Promise<string>;
}

type Sent = ReturnType<TestService['call']>;

export interface TestCopy {
  accountId?: string;
  subject?: string;
  preheader?: string;
  from?: string | null;
  fromName?: string;
  replyTo?: string | null;
  html?: string | null;
  text?: string | null;
}

const DOMAINS: Record<string, object> = {
  'shop.test': {},
  'other.test': { domain_id: '01980f3e-0000-7c11-a2d4-0c5f9e6b8a01' },
  'unchecked.test': { dns_valid: false },
  'paused.test': { paused: true },
  'links.test': { subscription_host: 'subs.links.test' },
};

export async function startSends(
  databaseUrl: string,
  settings: Partial<Settings> = {},
): Promise<SendsUnderTest> {
  const under = await startTestService(MESSAGES_SERVICE, {
    databaseUrl,
    settings,
    // tests count the statements of a send
    neighbours: {
      domains: ({ path }) => {
        const domain = decodeURIComponent(path.split('/').at(-1) ?? '');
        const facts = DOMAINS[domain];
        return facts
          ? { status: 200, body: { ...DOMAIN, domain, ...facts } }
          : { status: 404, body: { message: 'domain not found' } };
      },
    },
  });
  const accepted = await recordEvents(under.bus, {
    streams: ['messages'],
    pick: (event) => (event.type === MessageAccepted.type ? MessageAccepted.parse(event) : undefined),
  });
  const dataSource = under.service.get(DataSource);
  const sql = <Row>(text: string, parameters: unknown[] = []) =>
    dataSource.query(text, parameters) as Promise<Row[]>;
  return Object.assign(under, {
    accepted,
    sql,
    send: (kind: string, body: unknown, request: TestRequest = {}) =>
      under.call('POST', `/v2/accounts/${under.accountId}/messages${kind}`, { body, ...request }),
    statementsOf: (work: () => Promise<unknown>) => statementsOf(dataSource, work),
    template: (copy: TestCopy = {}) => publish(sql, { accountId: under.accountId, ...copy }),
  });
}

const OF_SENDS = /send_requests|messages|blobs|contents|outbox|event_log|suppressions|usage|statistics_facts/;

async function statementsOf(dataSource: DataSource, work: () => Promise<unknown>): Promise<string[]> {
  const { logger } = dataSource;
  const statements: string[] = [];
  const record = (text: string) => void (OF_SENDS.test(text) && statements.push(text));
  dataSource.logger = Object.assign(Object.create(logger), { logQuery: record });
  try {
    await work();
    return statements;
  } finally {
    dataSource.logger = logger;
  }
}

async function publish(sql: SendsUnderTest['sql'], copy: TestCopy): Promise<string> {
  const [id, copyId] = [newId(), newId()];
  const { accountId, subject = 'Hello', preheader = '', html = '<p>Hi</p>', text = null } = copy;
  const { from = 'news@shop.test', fromName = 'Shop', replyTo = null } = copy;
  const hasBody = html !== null || text !== null;
  await sql(
    `insert into templates (id, account_id, created_at, updated_at, name, editor, published_id)
     values ($1, $2, now(), now(), 'T', 'html', $3)`,
    [id, accountId, hasBody ? copyId : null],
  );
  const variables = templateVariables([html ?? '', text ?? '', preheader]);
  await sql(
    `insert into template_copies (id, template_id, subject, preheader, sender_email, sender_name, reply_to, html, text,
       text_is_custom, variables) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, false, $10)`,
    [copyId, id, subject, preheader, from, fromName, replyTo, html, text, JSON.stringify(variables)],
  );
  return id;
}
