import { AccountChanged } from '@postmesh/accounts-contract';
import { EventEnvelope } from '@postmesh/contracts';
import type { InternalRequest } from '@postmesh/http';
import { startTestService, type TestRequest, type TestService } from '@postmesh/service-testing';
import type { Settings } from '@postmesh/settings';
import { DataSource } from 'typeorm';
import { ACCOUNTS_SERVICE } from '../../accounts.definition.js';
import { FirstAccount } from '../../first-account/first-account.js';

/** The data of the other services, and their requests. */
interface Neighbours {
  /** domains by name, with their owners */
  readonly domains: Map<string, { owner: string; id: string }>;
  /** last accepted message by account */
  readonly activity: Map<string, string>;
  /** messages by account */
  readonly usage: Map<string, number>;
  readonly asked: string[];
  away: boolean;
}

/** The accounts service with one parent; other services respond from memory. */
export interface Family {
  readonly accounts: TestService;
  readonly parent: string;
  readonly neighbours: Neighbours;
  /** calls with a key of the parent, unless the request names another account */
  call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    rest: string,
    more?: TestRequest,
  ): ReturnType<TestService['call']>;
  /** the published states of an account, in order */
  states(accountId: string): string[];
  /** @returns the id of a new child */
  child(body?: object): Promise<string>;
  sql(text: string, parameters?: unknown[]): Promise<any[]>; // eslint-disable-line typescript/no-explicit-any
}

export async function startFamily(databaseUrl: string, settings: Partial<Settings> = {}): Promise<Family> {
  const neighbours: Neighbours = {
    domains: new Map(),
    activity: new Map(),
    usage: new Map(),
    asked: [],
    away: false,
  };
  const respond = (request: InternalRequest) => {
    neighbours.asked.push(`${request.method} ${request.path}`);
    return neighbours.away ? { status: 503, body: {} } : answerOf(neighbours, request);
  };
  const accounts = await startTestService(ACCOUNTS_SERVICE, {
    databaseUrl,
    settings,
    neighbours: { domains: respond, messages: respond },
  });
  const received = await listen(accounts);
  const parent = (await accounts.service.get(FirstAccount).create()).account_id;
  const call: Family['call'] = (method, rest, more = {}) =>
    accounts.call(method, `/v2/accounts/${more.account_id ?? parent}/sub-accounts${rest}`, {
      account_id: parent,
      ...more,
    });
  return {
    accounts,
    parent,
    neighbours,
    call,
    states: (accountId) => received.filter((fact) => fact.account_id === accountId).map(({ state }) => state),
    child: async (body = {}) => {
      const made = await call('POST', '', { body: { name: 'Acme', website: 'acme.test', ...body } });
      return made.body.id;
    },
    sql: (text, parameters = []) => accounts.service.get(DataSource).query(text, parameters),
  };
}

async function listen(accounts: TestService) {
  const received: ReturnType<typeof AccountChanged.parse>['data'][] = [];
  await accounts.bus.subscribe({
    group: 'listener',
    streams: ['accounts'],
    handle: (events) => {
      const envelopes = events.map(({ text }) => EventEnvelope.parse(JSON.parse(text)) as EventEnvelope);
      const changes = envelopes.filter(({ type }) => type === AccountChanged.type);
      received.push(...changes.map((envelope) => AccountChanged.parse(envelope).data));
      return Promise.resolve();
    },
  });
  return received;
}

function answerOf(neighbours: Neighbours, { path, body }: InternalRequest) {
  const asked = (body as { account_ids?: string[] } | undefined)?.account_ids ?? [];
  if (path === '/internal/domains/counts') {
    const owners = [...neighbours.domains.values()].map(({ owner }) => owner);
    const counts = asked.map((id) => ({
      account_id: id,
      domain_count: owners.filter((one) => one === id).length,
    }));
    return { status: 200, body: { counts: counts.filter((one) => one.domain_count > 0) } };
  }
  if (path === '/internal/accounts/activity') {
    const known = asked.filter((id) => neighbours.activity.has(id));
    const activity = known.map((id) => ({ account_id: id, last_accepted_at: neighbours.activity.get(id) }));
    return { status: 200, body: { activity } };
  }
  if (path.includes('/usage?')) {
    const usage = [...neighbours.usage].map(([id, count]) => ({ account_id: id, reception_count: count }));
    return { status: 200, body: { usage } };
  }
  const [, owner] = /^\/internal\/accounts\/([^/]+)\/domains\/find$/.exec(path) ?? [];
  const names = (body as { domains?: string[] } | undefined)?.domains ?? [];
  const own = names.flatMap((domain) => {
    const known = neighbours.domains.get(domain);
    return known && known.owner === owner ? [{ domain_id: known.id, domain }] : [];
  });
  return { status: 200, body: own };
}
