import { DataSource } from 'typeorm';
import { newId } from '@postmesh/contracts';
import {
  startTestService,
  type TestRequest,
  type TestResponse,
  type TestService,
} from '@postmesh/service-testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { DOMAIN } from './domain.js';

/** The service with a domains service and an accounts service that the test controls. */
export interface TemplatesUnderTest extends TestService {
  /** facts that differ from those of a domain that may send, by name; others are unknown */
  readonly domains: Map<string, Partial<typeof DOMAIN>>;
  /** an account without templates */
  account(): string;
  templates(
    account_id: string,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    rest?: string,
    request?: TestRequest,
  ): Promise<TestResponse>;
  sql<Row>(text: string, parameters?: unknown[]): Promise<Row[]>;
}

export async function startTemplates(databaseUrl: string): Promise<TemplatesUnderTest> {
  const domains = new Map<string, Partial<typeof DOMAIN>>([['shop.test', {}]]);
  const under = await startTestService(MESSAGES_SERVICE, {
    databaseUrl,
    settings: { databasePoolSize: 8 },
    neighbours: {
      domains: ({ path }) => {
        const [, accountId = '', domain = ''] = /accounts\/([^/]+)\/domains\/(.+)$/.exec(path) ?? [];
        const facts = domains.get(domain);
        if (!facts) return { status: 404, body: { message: 'domain not found' } };
        return { status: 200, body: { ...DOMAIN, account_id: accountId, domain, ...facts } };
      },
      accounts: ({ body }) => {
        const { key_ids } = body as { key_ids: string[] };
        return { status: 200, body: { key_ids } };
      },
    },
  });
  return Object.assign(under, {
    domains,
    account: () => newId(),
    templates: (
      account_id: string,
      method: 'GET' | 'POST' | 'PUT' | 'DELETE',
      rest = '',
      request: TestRequest = {},
    ) => under.call(method, `/v2/accounts/${account_id}/templates${rest}`, { account_id, ...request }),
    sql: <Row>(text: string, parameters: unknown[] = []) =>
      under.service.get(DataSource).query(text, parameters) as Promise<Row[]>,
  });
}
