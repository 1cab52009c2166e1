import { DataSource } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { SuppressionsChanged, type SuppressionChange } from '@postmesh/messages-contract';
import {
  recordEvents,
  startTestService,
  type RecordedEvents,
  type TestRequest,
  type TestService,
  type TestServiceOptions,
} from '@postmesh/service-testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { DOMAIN } from './domain.js';

export const PERMANENT = '9999-12-31T23:59:59Z';

/** The service with a domains service that owns the test's domains, and the published events of suppressions. */
export interface SuppressionsUnderTest extends TestService {
  /** domains of each account */
  readonly owned: Map<string, string[]>;
  /** published changes of suppressions, oldest first */
  readonly told: RecordedEvents<SuppressionChange & { account_id: string }>;
  /** an account with these domains */
  account(...domains: string[]): string;
  /** `call` on the account's `/suppressions<rest>` */
  suppressions(
    account_id: string,
    method: 'GET' | 'POST' | 'DELETE',
    rest?: string,
    request?: TestRequest,
  ): ReturnType<TestService['call']>;
  sql<Row>(text: string, parameters?: unknown[]): Promise<Row[]>;
}

export async function startSuppressions(
  databaseUrl: string,
  more: Pick<TestServiceOptions, 'periodic'> = {},
): Promise<SuppressionsUnderTest> {
  const owned = new Map<string, string[]>();
  const under = await startTestService(MESSAGES_SERVICE, {
    databaseUrl,
    ...more,
    settings: { databasePoolSize: 8 },
    neighbours: {
      domains: ({ path }) => respond(owned, path),
    },
  });
  const told = await recordEvents(under.bus, {
    streams: ['suppressions'],
    pick: (event) => SuppressionsChanged.parse(event as never).data,
  });
  const changes = {
    get events() {
      return told.events.flatMap(({ account_id, changes: list }) =>
        list.map((change) => ({ account_id, ...change })),
      );
    },
    until: told.until,
  };
  return Object.assign(under, {
    owned,
    told: changes,
    account: (...domains: string[]) => {
      const id = newId();
      owned.set(id, domains.toSorted());
      return id;
    },
    suppressions: (
      account_id: string,
      method: 'GET' | 'POST' | 'DELETE',
      rest = '',
      request: TestRequest = {},
    ) => under.call(method, `/v2/accounts/${account_id}/suppressions${rest}`, { account_id, ...request }),
    sql: <Row>(text: string, parameters: unknown[] = []) =>
      under.service.get(DataSource).query(text, parameters) as Promise<Row[]>,
  });
}

const NAMES_PER_PAGE = 3;

/** A response of the domains service: a name, or a page of them. */
function respond(owned: ReadonlyMap<string, string[]>, path: string): { status: number; body: unknown } {
  const [, account = '', name] =
    /^\/internal\/accounts\/([^/]+)\/domains(?:\/([^?]+))?/.exec(decodeURIComponent(path)) ?? [];
  const domains = owned.get(account) ?? [];
  if (name === undefined) {
    const after = new URL(path, 'http://domains').searchParams.get('after') ?? '';
    const page = domains.filter((domain) => domain > after).slice(0, NAMES_PER_PAGE);
    return {
      status: 200,
      body: { domains: page, next: page.length < NAMES_PER_PAGE ? null : page.at(-1) },
    };
  }
  if (!domains.includes(name)) return { status: 404, body: { message: 'domain not found' } };
  return { status: 200, body: { ...DOMAIN, account_id: account, domain: name } };
}
