import { beforeAll, describe, expect, it } from 'vitest';
import {
  eventually,
  expectError,
  sharedInstallation,
  unique,
  type Account,
  type ApiKey,
  type ApiOptions,
} from './harness.js';

const postmesh = sharedInstallation();
const NOBODY = '0198f2a4-7d3e-7b6a-9f1c-2e4d5a6b7c8d';
const REJECTED = 'Request rejected by the API key IP allow list';
let account: Account;
beforeAll(async () => {
  account = await postmesh.newAccount();
});

const create = (list: unknown, more: object = {}) =>
  postmesh.api(account.key, 'POST', '{A}/api-keys', {
    body: { label: 'Restricted', scopes: ['*'], ip_allow_list: list, ...more },
  });
const restricted = (...list: string[]) => postmesh.newKey(account, { ip_allow_list: list });
const update = (key: ApiKey, body: unknown, options: ApiOptions & { by?: ApiKey } = {}) =>
  postmesh.api(options.by ?? account.key, 'PUT', `{A}/api-keys/${key.id}`, { ...options, body });
const read = async (key: ApiKey) => (await postmesh.api(account.key, 'GET', `{A}/api-keys/${key.id}`)).body;
const pingFrom = async (key: ApiKey, clientIp?: string) =>
  (await postmesh.api(key, 'GET', '/v2/ping', clientIp === undefined ? {} : { clientIp })).status;

describe('§3 rules', () => {
  it('§3 rule 1 the list is always there, empty by default, and empty means no restriction', async () => {
    const plain = await create(undefined);
    expect([plain.status, plain.body.ip_allow_list]).toEqual([201, []]);
    expect((await create(null)).body.ip_allow_list).toEqual([]);
    const { data } = (await postmesh.api(account.key, 'GET', '{A}/api-keys')).body;
    for (const key of data) expect(key.ip_allow_list).toEqual(expect.any(Array));
    const key = { id: plain.body.id, secret: plain.body.secret_key, accountId: account.id, publicKey: '' };
    for (const ip of ['192.0.2.1', '2001:db8::1']) expect(await pingFrom(key, ip)).toBe(200);
  });

  it.each([
    [['192.0.2.7', '192.0.2.7/32'], ['192.0.2.7/32']],
    [['203.0.113.9/24'], ['203.0.113.0/24']],
    [['2001:DB8:0:0::1'], ['2001:db8::1/128']],
    [['2001:db8::ffff/32'], ['2001:db8::/32']],
    [['::ffff:192.0.2.7'], ['192.0.2.7/32']],
    [['::ffff:192.0.2.0/120'], ['192.0.2.0/24']],
    [
      ['10.0.0.1', '192.0.2.0/24', '10.0.0.1/32', '192.0.2.9/24', '2001:db8::1'],
      ['10.0.0.1/32', '192.0.2.0/24', '2001:db8::1/128'],
    ],
    [
      ['0.0.0.0/1', '128.0.0.0/1'],
      ['0.0.0.0/1', '128.0.0.0/1'],
    ],
  ])('§3 rule 2 %j is stored as %j', async (given, stored) => {
    const made = await create(given);
    expect([made.status, made.body.ip_allow_list]).toEqual([201, stored]);
    const shown = await postmesh.api(account.key, 'GET', `{A}/api-keys/${made.body.id}`);
    expect(shown.body.ip_allow_list).toEqual(stored);
  });

  it.each<readonly [unknown, string]>([
    ...[
      '',
      'nonsense',
      '192.0.2',
      '192.0.2.256',
      '192.0.2.0/33',
      '192.0.2.0/-1',
      '192.0.2.0/',
      'fe80::1%eth0',
    ]
      .concat(['2001:db8::/129', '192.0.2.0/24/8', 'example.com', '192.0.2.1:80', '010.0.0.1'])
      .map(
        (entry) =>
          [
            [entry],
            `invalid ip_allow_list entry: ${entry} (an address or a network such as 192.0.2.0/24)`,
          ] as const,
      ),
    ...['0.0.0.0/0', '::/0', '10.0.0.0/0', '2001:db8::/0', '::ffff:0:0/96'].map(
      (entry) => [['192.0.2.1', entry], 'ip_allow_list must not allow all addresses'] as const,
    ),
    ['192.0.2.1', 'ip_allow_list must be an array'],
    [[7], 'ip_allow_list[0] must be a string'],
  ])('§3 rule 3 refuses %j', async (list, message) => {
    expectError(await create(list), 400, message);
    const key = await postmesh.newKey(account);
    expectError(await update(key, { ip_allow_list: list }), 400, message);
    expect((await read(key)).ip_allow_list).toEqual([]);
  });

  it('§3 rule 3 at most 100 entries, counted after de-duplication', async () => {
    const entries = Array.from({ length: 101 }, (_, at) => `10.1.0.${at}`);
    expectError(await create(entries), 400, 'ip_allow_list must have at most 100 entries');
    const duplicated = await create([...entries.slice(0, 100), '10.1.0.0/32']);
    expect([duplicated.status, duplicated.body.ip_allow_list.length]).toEqual([201, 100]);
  });

  it('§3 rule 4 update: omitted or null leaves, [] clears, others replace the whole list', async () => {
    const key = await restricted('192.0.2.0/24');
    await update(key, { label: 'Renamed' });
    await update(key, { label: 'Renamed again', ip_allow_list: null });
    expect((await read(key)).ip_allow_list).toEqual(['192.0.2.0/24']);
    await update(key, { ip_allow_list: ['198.51.100.1'] });
    expect((await read(key)).ip_allow_list).toEqual(['198.51.100.1/32']);
    await update(key, { ip_allow_list: [] });
    expect((await read(key)).ip_allow_list).toEqual([]);
  });

  it('§3 rule 4 a changed list counts in the very next request', async () => {
    const key = await restricted('192.0.2.1');
    for (let round = 0; round < 5; round += 1) {
      await update(key, { ip_allow_list: ['192.0.2.2'] });
      expect([await pingFrom(key, '192.0.2.1'), await pingFrom(key, '192.0.2.2')]).toEqual([403, 200]);
      await update(key, { ip_allow_list: ['192.0.2.1'] });
      expect([await pingFrom(key, '192.0.2.1'), await pingFrom(key, '192.0.2.2')]).toEqual([200, 403]);
    }
    await update(key, { ip_allow_list: [] });
    expect(await pingFrom(key, '192.0.2.2')).toBe(200);
  });

  it('§3 rule 5 refuses every endpoint from elsewhere, unknown ids too, whatever the scopes', async () => {
    const all = await restricted('192.0.2.0/24');
    const few = await postmesh.newKey(account, {
      scopes: ['accounts:billing'],
      ip_allow_list: ['192.0.2.0/24'],
    });
    const paths = ['/v2/ping', '{A}', '{A}/members', `{A}/api-keys/${NOBODY}`, `/v2/accounts/${NOBODY}`];
    for (const key of [all, few]) {
      for (const path of paths) {
        expectError(await postmesh.api(key, 'GET', path, { clientIp: '198.51.100.1' }), 403, REJECTED);
      }
    }
    expect((await postmesh.api(all, 'GET', '{A}', { clientIp: '192.0.2.255' })).status).toBe(200);
  });

  it('§3 rule 5 the error is not stored for an idempotency key', async () => {
    const key = await restricted('192.0.2.0/24');
    const headers = { 'idempotency-key': unique('key') };
    const body = { email: `${unique('ann')}@mail.test`, role: 'Analyst' };
    const post = (clientIp: string) => postmesh.api(key, 'POST', '{A}/members', { body, headers, clientIp });
    expectError(await post('198.51.100.1'), 403, REJECTED);
    const allowed = await post('192.0.2.1');
    expect([allowed.status, allowed.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expectError(await post('198.51.100.1'), 403, REJECTED);
    expect((await post('192.0.2.1')).headers['idempotent-replayed']).toBe('true');
  });

  it.each([
    ['192.0.2.1', 200],
    ['198.51.100.1, 192.0.2.1', 200],
    ['192.0.2.1, 198.51.100.1', 403],
    ['192.0.2.1, 127.0.0.1', 200],
    ['198.51.100.1, 192.0.2.1, 127.0.0.1, 127.0.0.2', 200],
    ['::ffff:192.0.2.1', 200],
    ['198.51.100.1', 403],
  ])(
    '§3 rule 6 the client of X-Forwarded-For "%s" is the right-most that is no trusted proxy: %i',
    async (forwarded, status) => {
      const key = await restricted('192.0.2.1');
      const headers = { 'x-forwarded-for': forwarded };
      expect((await postmesh.api(key, 'GET', '/v2/ping', { headers })).status).toBe(status);
    },
  );

  it('§3 rule 6 without the header it is the peer of the socket', async () => {
    expect(await pingFrom(await restricted('127.0.0.1'))).toBe(200);
    expect(await pingFrom(await restricted('192.0.2.1'))).toBe(403);
  });

  it('§3 rule 7 a key cannot lock itself out, and nothing of the request is stored', async () => {
    const key = await postmesh.newKey(account, { label: 'Mine', scopes: ['api-keys:write', 'lists:read'] });
    const before = await read(key);
    const body = { label: 'Other', scopes: ['lists:read'], ip_allow_list: ['192.0.2.0/24'] };
    const refused = await update(key, body, { by: key, clientIp: '198.51.100.1' });
    expectError(refused, 409, 'ip_allow_list would exclude your current IP address');
    expect([refused.headers['idempotent-replayed'], refused.headers['retry-after']]).toEqual([
      undefined,
      undefined,
    ]);
    const { last_used_at: _later, ...shown } = await read(key);
    const { last_used_at: _sooner, ...shownBefore } = before;
    expect(shown).toEqual(shownBefore);
  });

  it('§3 rule 7 it may restrict itself to where it is, and clear the list from there', async () => {
    const key = await postmesh.newKey(account);
    const here = { by: key, clientIp: '192.0.2.9' };
    expect((await update(key, { ip_allow_list: ['192.0.2.0/24'] }, here)).status).toBe(200);
    expect(await pingFrom(key, '198.51.100.1')).toBe(403);
    expect((await update(key, { ip_allow_list: [] }, here)).status).toBe(200);
    expect(await pingFrom(key, '198.51.100.1')).toBe(200);
  });

  it('§3 rule 7 has no guard for creating a key, another key, or a key of a sub-account', async () => {
    expect((await create(['192.0.2.0/24'])).status).toBe(201);
    const other = await postmesh.newKey(account);
    expect((await update(other, { ip_allow_list: ['192.0.2.0/24'] })).status).toBe(200);
    const child = await postmesh.api(account.key, 'POST', '{A}/sub-accounts', {
      body: { name: unique('Child'), website: 'child.example' },
    });
    expect(child.status).toBe(201);
    const keys = `{A}/sub-accounts/${child.body.id}/api-keys`;
    const made = await postmesh.api(account.key, 'POST', keys, { body: { label: 'k', scopes: ['*'] } });
    expect(made.status).toBe(201);
    const body = { ip_allow_list: ['192.0.2.0/24'] };
    const changed = await postmesh.api(account.key, 'PUT', `${keys}/${made.body.id}`, { body });
    expect([changed.status, changed.body.ip_allow_list]).toEqual([200, ['192.0.2.0/24']]);
  });

  it('§3 rule 8 owner and Administrators get a mail that names the key, without its secret and the list', async () => {
    const notified = await postmesh.newAccount();
    const [admin, analyst] = [`${unique('admin')}@mail.test`, `${unique('analyst')}@mail.test`];
    for (const [email, role] of [
      [admin, 'Administrator'],
      [analyst, 'Analyst'],
    ]) {
      await postmesh.api(notified.key, 'POST', '{A}/members', { body: { email, role } });
    }
    const notices = async (to: string) =>
      (await postmesh.messagesTo(to)).filter(({ subject }) => subject.includes('IP allow list'));
    const key = await postmesh.newKey(notified, { label: 'Restricted one', ip_allow_list: ['192.0.2.77'] });
    for (const to of [notified.ownerEmail, admin])
      await eventually(() => notices(to), 30_000).toHaveLength(1);
    const [message] = await notices(admin);
    const text = (await postmesh.messageText(message?.id ?? '')).replace(/=\r\n/g, '');
    expect(text).toContain('Restricted one');
    expect(text).toContain(key.publicKey);
    expect(text).not.toContain(key.secret);
    expect(text).not.toContain('192.0.2.77');
    const put = (body: object) => postmesh.api(notified.key, 'PUT', `{A}/api-keys/${key.id}`, { body });
    expect((await put({ label: 'Renamed', ip_allow_list: ['192.0.2.77/32'] })).status).toBe(200);
    expect((await put({ ip_allow_list: [] })).status).toBe(200);
    for (const to of [notified.ownerEmail, admin])
      await eventually(() => notices(to), 30_000).toHaveLength(2);
    expect(await notices(analyst)).toEqual([]);
  });
});
