import type { RefusedRequest } from '@postmesh/accounts-contract';
import { AccountId, ApiKeyId, newId, UserId, type Principal } from '@postmesh/contracts';
import { DEFAULT_ACCOUNT, startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabaseWithClock } from '@postmesh/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNTS_SERVICE } from '../accounts.definition.js';
import { ForgetRefusedRequests } from './forget-refused-requests.js';
import type { RequestLogPage } from './request-log.schema.js';

const database = testDatabaseWithClock();
const DAY = 86_400_000;
const NOON = DAY / 2;
let accounts: TestService;
/** an account of its own for each test */
let account: string;

beforeAll(async () => {
  accounts = await startTestService(ACCOUNTS_SERVICE, {
    databaseUrl: database.url,
    settings: { requestLogDays: 3, requestLogPerDay: 100 },
  });
});
afterAll(() => accounts.stop());
beforeEach(async () => {
  account = newId();
  // the clock of the process goes back after each test, that of the database does not
  await database.advance(0);
});

const request = (more: Partial<RefusedRequest> = {}): RefusedRequest => ({
  id: newId(),
  at: new Date().toISOString(),
  protocol: 'http',
  key_id: newId(),
  method: 'GET',
  operation: 'messages.list',
  path: `/v2/accounts/${account}/messages?limit=…`,
  status: 400,
  message: 'limit must be between 1 and 100',
  request_id: 'r-1',
  client_ip: '192.0.2.7',
  user_agent: 'curl/9',
  duration_ms: 3,
  ...more,
});

async function report(requests: RefusedRequest[], leftOut = 0, accountId = account): Promise<void> {
  const body = { accounts: { [accountId]: { requests, left_out: leftOut } } };
  expect((await accounts.internal('POST', '/internal/refused-requests', body)).status).toBe(200);
}

/** @returns the principal of a member in the console */
const memberOf = (accountId: string, scopes = ['api-keys:write']): Principal => ({
  account_id: AccountId.parse(accountId),
  key_id: ApiKeyId.parse(newId()),
  scopes,
  account: DEFAULT_ACCOUNT,
  member: { user_id: UserId.parse(newId()), role: 'Developer' },
});
const ask = (query = '', accountId = account) =>
  accounts.call('GET', `/console/api/request-log${query}`, { principal: memberOf(accountId) });
async function log(query = '', accountId = account): Promise<RequestLogPage> {
  const { status, body } = await ask(query, accountId);
  expect(status).toBe(200);
  return body as RequestLogPage;
}
const found = async (query: string) => (await log(query)).data.map(({ message }) => message);

describe('the request log of an account', () => {
  it('has what gateways report, newest first, with the names of keys, once', async () => {
    const made = await accounts.internal('POST', '/operator/accounts', {
      name: 'Shop',
      owner_email: `o-${account}@shop.test`,
    });
    account = made.body.id as string;
    const { body: key } = await accounts.internal('POST', `/operator/accounts/${account}/api-keys`, {
      label: 'Production',
      scopes: ['*'],
    });
    const at = (ms: number) => new Date(Date.now() - ms).toISOString();
    const first = request({ at: at(2_000), key_id: key.id });
    const second = request({
      at: at(1_000),
      protocol: 'smtp',
      method: 'RCPT',
      operation: null,
      path: null,
      duration_ms: null,
      status: 550,
      message: '5.1.1 No',
    });
    await report([first, second]);
    await report([first, second]);
    const { data, ...rest } = await log();
    expect(data).toEqual([
      expect.objectContaining({
        id: second.id,
        protocol: 'smtp',
        path: null,
        path_template: null,
        status: 550,
        key: { type: 'smtp_credential', id: second.key_id, name: null },
        duration_ms: null,
      }),
      {
        id: first.id,
        created_at: first.at,
        protocol: 'http',
        method: 'GET',
        operation: 'messages.list',
        path_template: '/v2/accounts/{account_id}/messages',
        path: first.path,
        status: 400,
        message: first.message,
        key: { type: 'api_key', id: first.key_id, name: 'Production' },
        request_id: 'r-1',
        client_ip: '192.0.2.7',
        user_agent: 'curl/9',
        duration_ms: 3,
      },
    ]);
    expect(rest).toEqual({ object: 'list', pagination: { has_more: false }, kept_days: 3, left_out: [] });
    const one = await ask(`/${first.id}`);
    expect([one.status, one.body]).toEqual([200, data[1]]);
  });

  it('is filtered by status, key and path, page by page', async () => {
    const key = newId();
    await report([
      request({ message: 'a', status: 400, key_id: key }),
      request({ message: 'b', status: 429 }),
      request({ message: 'c', status: 503, key_id: key, operation: 'messages.send', path: '/v2/100%_done' }),
    ]);
    expect(await found('?status=4xx')).toEqual(['b', 'a']);
    expect(await found('?status=5xx')).toEqual(['c']);
    expect(await found('?status=429')).toEqual(['b']);
    expect(await found(`?key_id=${key}`)).toEqual(['c', 'a']);
    expect(await found(`?key_id=${key.toUpperCase()}&status=4xx`)).toEqual(['a']);
    expect(await found('?path=messages%3Flimit')).toEqual(['b', 'a']);
    expect(await found('?path=%25_')).toEqual(['c']);
    expect(await found('?path=messages.send')).toEqual(['c']);
    const page = await log('?limit=2');
    expect(page.data).toHaveLength(2);
    expect(await found(`?limit=2&after=${page.pagination.next_cursor}`)).toEqual(['a']);
  });

  it.each([
    'status=200',
    'status=4x',
    'status=666',
    'key_id=x',
    'path=%00',
    'limit=0',
    `path=${'x'.repeat(1_001)}`,
  ])('refuses %s', async (query) => expect((await ask(`?${query}`)).status).toBe(400));

  it('is of the account alone, for those who manage its keys', async () => {
    const own = request();
    await report([own]);
    expect((await log('', newId())).data).toEqual([]);
    expect((await ask(`/${own.id}`, newId())).status).toBe(404);
    const weak = { principal: memberOf(account, ['api-keys:read']) };
    for (const path of ['/console/api/request-log', `/console/api/request-log/${own.id}`]) {
      expect((await accounts.call('GET', path, weak)).status).toBe(403);
    }
  });

  it('has a bounded number of rows a day and the number of the rest, whatever its neighbours do', async () => {
    const sinceMidnight = Date.now() % DAY;
    await database.advance((sinceMidnight < NOON ? NOON : NOON + DAY) - sinceMidnight);
    const fill = async () => {
      const many = () => Array.from({ length: 50 }, () => request());
      for (let at = 0; at < 3; at += 1) await report(many(), 1_000);
    };
    await fill();
    expect((await log()).data).toHaveLength(75);
    const today = new Date().toISOString().slice(0, 10);
    expect((await log()).left_out).toEqual([{ day: today, count: 3_075 }]);
    const quiet = newId();
    await report([request()], 0, quiet);
    expect((await log('', quiet)).left_out).toEqual([]);
    expect((await log('', quiet)).data).toHaveLength(1);
    await database.advance(NOON / 2);
    await fill();
    expect((await log()).left_out).toEqual([{ day: today, count: 6_300 - 87 }]);
    await database.advance(NOON);
    await report([request()], 3);
    const tomorrow = new Date().toISOString().slice(0, 10);
    expect((await log()).left_out).toEqual([
      { day: tomorrow, count: 3 },
      { day: today, count: 6_213 },
    ]);
    expect((await log()).data).toHaveLength(88);
  });

  it('forgets rows and counts after the days of the setting', async () => {
    await report([request()], 7);
    expect((await log()).left_out).toHaveLength(1);
    await database.advance(3 * DAY + 1_000);
    // not shown from now on
    expect((await log()).data).toEqual([]);
    await database.advance(DAY);
    expect((await log()).left_out).toEqual([]);
    await accounts.service.get(ForgetRefusedRequests).forget(new AbortController().signal);
    const rows = await accounts.service.get(DataSource).query(
      `select (select count(*) from refused_requests where account_id = $1)::int as requests,
         (select count(*) from refused_request_days where account_id = $1)::int as days`,
      [account],
    );
    expect(rows).toEqual([{ requests: 0, days: 0 }]);
  });

  it.each([
    ['no account', { accounts: { x: { requests: [], left_out: 0 } } }],
    ['a success', { accounts: { [newId()]: { requests: [request({ status: 200 })], left_out: 0 } } }],
    ['too many', { accounts: { [newId()]: { requests: Array(51).fill(request()), left_out: 0 } } }],
  ])('a report with %s is refused', async (_, body) => {
    expect((await accounts.internal('POST', '/internal/refused-requests', body)).status).toBe(400);
  });
});
