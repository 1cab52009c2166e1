import { setImmediate } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { CampaignSendRequest, type CampaignSendResult } from '@postmesh/messages-contract';
import { DomainChanged, type DomainFacts } from '@postmesh/domains-contract';
import { newId, type AccountId } from '@postmesh/contracts';
import type { EventBus } from '@postmesh/events';
import {
  deliver,
  startTestService,
  type TestRequest,
  type TestResponse,
  type TestService,
  type TestServiceOptions,
} from '@postmesh/service-testing';
import { MARKETING_SERVICE } from '../marketing.definition.js';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The service with a domains service and a messages service whose answers the test sets. */
export interface CampaignsUnderTest extends TestService {
  /** facts that differ from those of a domain that may send, by name; other domains are unknown */
  readonly domains: Map<string, Partial<DomainFacts>>;
  /** requests to the messages service */
  readonly sends: CampaignSendRequest[];
  /** its answer; undefined: every recipient is accepted */
  answer: ((request: CampaignSendRequest) => CampaignSendResult) | undefined;
  /** a new account without rows */
  account(): AccountId;
  campaigns(
    accountId: string,
    method: Method,
    rest?: string,
    body?: unknown,
    request?: TestRequest,
  ): Promise<TestResponse>;
  /** a list of the account with this many confirmed members */
  list(accountId: string, members?: number): Promise<string>;
  /** sends the service an event with the facts in `domains` */
  domainChanged(accountId: string, domain: string, deleted?: boolean): Promise<void>;
  sql<Row>(text: string, parameters?: unknown[]): Promise<Row[]>;
  /** resolves when this many transactions wait for a lock */
  waiters(count: number): Promise<void>;
}

export const SHOP_DOMAIN_ID = '01980f3e-0000-7c11-a2d4-0c5f9e6b8a00';

export async function startCampaigns(
  databaseUrl: string,
  bus?: EventBus,
  more: Pick<TestServiceOptions, 'settings' | 'neighbours'> = {},
): Promise<CampaignsUnderTest> {
  const domains = new Map<string, Partial<DomainFacts>>([['shop.test', {}]]);
  const sends: CampaignSendRequest[] = [];
  const under = await startTestService(MARKETING_SERVICE, {
    databaseUrl,
    settings: { databasePoolSize: 8, ...more.settings },
    ...(bus ? { bus } : {}),
    neighbours: {
      ...more.neighbours,
      domains: ({ path, body }) => answerDomains(domains, path, body),
      messages: ({ body }) => {
        const request = CampaignSendRequest.parse(body);
        sends.push(request);
        return { status: 200, body: (whole.answer ?? accepted)(request) };
      },
    },
  });
  const sql = <Row>(text: string, parameters: unknown[] = []) =>
    under.service.get(DataSource).query(text, parameters) as Promise<Row[]>;
  const whole: CampaignsUnderTest = Object.assign(under, {
    domains,
    sends,
    answer: undefined,
    account: () => newId() as AccountId,
    campaigns: (account_id: string, method: Method, rest = '', body?: unknown, request: TestRequest = {}) =>
      under.call(method, `/v2/accounts/${account_id}/campaigns${rest}`, { account_id, body, ...request }),
    list: (accountId: string, members = 1) => addList(sql, accountId, members),
    domainChanged: (accountId: string, domain: string, deleted = false) => {
      const facts = { ...DOMAIN, account_id: accountId, domain, deleted, ...domains.get(domain) };
      return deliver(under.service, [DomainChanged.make(facts, { account_id: accountId })]);
    },
    sql,
    waiters: async (count: number) => {
      for (let waiting = 0; waiting < count;) {
        await setImmediate();
        const [row] = await sql<{ waiting: number }>(
          `select count(*)::int as waiting from pg_locks where not granted
            and pid in (select pid from pg_stat_activity where datname = current_database())`,
        );
        waiting = row?.waiting ?? 0;
      }
    },
  });
  return whole;
}

const accepted = ({ recipients }: CampaignSendRequest): CampaignSendResult => ({
  ok: true,
  recipients: recipients.map(({ message_id }) => ({ message_id, outcome: 'accepted' })),
});

function answerDomains(domains: CampaignsUnderTest['domains'], path: string, body: unknown) {
  const [, accountId = '', name = ''] = /accounts\/([^/]+)\/domains\/(.+)$/.exec(path) ?? [];
  const known = (domain: string) => {
    const facts = domains.get(domain);
    return facts && { ...DOMAIN, account_id: accountId, domain, ...facts };
  };
  if (name === 'find') {
    const { domains: wanted } = body as { domains: string[] };
    return { status: 200, body: wanted.flatMap((domain) => known(domain) ?? []) };
  }
  const found = known(name);
  return found ? { status: 200, body: found } : { status: 404, body: { message: 'domain not found' } };
}

const DOMAIN: DomainFacts = {
  domain_id: SHOP_DOMAIN_ID,
  account_id: '',
  domain: 'shop.test',
  dns_valid: true,
  paused: false,
  deleted: false,
  sending_type: 'marketing',
  return_path_host: 'rp.shop.test',
  tracking_host: null,
  revision: 1,
};

async function addList(sql: CampaignsUnderTest['sql'], accountId: string, members: number): Promise<string> {
  const id = newId();
  await sql(
    `insert into lists (id, account_id, created_at, updated_at, name, description, tags)
     values ($1, $2, now(), now(), 'List', '', '{}')`,
    [id, accountId],
  );
  const ids = Array.from({ length: members }, () => newId());
  await sql(
    `insert into contacts (id, account_id, created_at, updated_at, email, first_name, last_name, status,
       status_reason, unsubscribed, attributes)
     select id, $1, now(), now(), 'reader-' || id || '@mail.test', 'Pat', '', 'enabled', '', false, '{}'
     from unnest($2::uuid[]) as given(id)`,
    [accountId, ids],
  );
  await sql(
    `insert into memberships (list_id, contact_id, account_id, subscription_status, subscribed_at, created_at, updated_at)
     select $1, id, $2, 'confirmed', now(), now(), now() from unnest($3::uuid[]) as given(id)`,
    [id, accountId, ids],
  );
  return id;
}
