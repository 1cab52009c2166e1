import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually, sharedInstallation, unique, type Account, type ApiKey } from './harness.js';

const COMMAND = new URL('../../../../tools/postmesh.mjs', import.meta.url).pathname;
const postmesh = sharedInstallation();
const READ_TOOLS = [
  'find_messages',
  'message_timeline',
  'domains',
  'suppressions_of_address',
  'statistics',
  'templates',
  'webhooks',
  'campaigns',
  'campaign_results',
];

let account: Account;
let shop: string;
let state: string;
const clients: Client[] = [];

beforeAll(async () => {
  account = await postmesh.newAccount();
  shop = await postmesh.verifiedDomain(account);
  state = await mkdtemp(join(tmpdir(), 'postmesh-mcp-'));
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(() => rm(state, { recursive: true, force: true }));

type Answer = 'accept' | 'decline';

interface Assistant {
  readonly options?: readonly string[];
  readonly key?: ApiKey;
  /** the person of a client with forms; the previews that it has seen are collected */
  readonly person?: { readonly answer: Answer; readonly seen: string[] };
}

/** The client of the SDK, with the server as the process that it starts. */
async function connect({ options = [], key = account.key, person }: Assistant = {}): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: person ? { elicitation: { form: {} } } : {} },
  );
  if (person)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      person.seen.push(params.message);
      return { action: person.answer, ...(person.answer === 'accept' ? { content: {} } : {}) };
    });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [COMMAND, 'mcp', '--state', state, ...options],
      env: {
        POSTMESH_BASE_URL: postmesh.url,
        POSTMESH_API_KEY: key.secret,
        POSTMESH_ACCOUNT_ID: key.accountId,
      },
    }),
  );
  clients.push(client);
  return client;
}

async function call(
  client: Client,
  name: string,
  given: object = {},
): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = await client.callTool({ name, arguments: { ...given } });
  const [{ text }] = content as [{ text: string }];
  return { text, isError: isError === true };
}

/** The data between the marks. */
async function read(client: Client, name: string, given: object = {}) {
  const { text, isError } = await call(client, name, given);
  expect(isError, text).toBe(false);
  const [, , data = ''] = /^<(untrusted-data-[0-9a-f]{16})>\n([^]*)\n<\/\1>$/m.exec(text) ?? [];
  return JSON.parse(data);
}

const approvalIn = (text: string) => /Approval id: ([0-9a-f-]{36})/.exec(text)?.[1];
const message = (to: string, more: object = {}) => ({
  from: `news@${shop}`,
  to: [to],
  subject: 'Hello',
  text: 'Good day',
  ...more,
});
const sentTo = async (to: string) => (await postmesh.messagesTo(to)).length;

describe('npx postmesh mcp', () => {
  it('has only tools that read, unless recipients are allowed', async () => {
    const reading = await (await connect()).listTools();
    expect(reading.tools.map(({ name }) => name)).toEqual(READ_TOOLS);
    expect(reading.tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    const sending = await (await connect({ options: ['--allow', 'mail.test'] })).listTools();
    expect(sending.tools.map(({ name }) => name).slice(READ_TOOLS.length)).toEqual([
      'prepare_message',
      'send_prepared_message',
    ]);
  });

  it('reads what the API has, as far as the scopes of the key allow it', async () => {
    const client = await connect();
    const list = { data: [] };
    expect(await read(client, 'domains')).toMatchObject({
      data: [{ domain: shop, dns_valid: true, problems: [] }],
    });
    const one = await read(client, 'domains', { domain: shop });
    expect(one.dns_records.length).toBeGreaterThan(3);
    expect(await read(client, 'suppressions_of_address', { email: 'ann@mail.test' })).toEqual(list);
    expect(await read(client, 'templates')).toEqual(list);
    expect(await read(client, 'campaigns', { name: 'x' })).toEqual(list);
    expect(await read(client, 'webhooks')).toEqual(list);
    const figures = await read(client, 'statistics', { group_by: 'month' });
    expect(figures[0]).toHaveProperty('delivered_count');
    const key = await postmesh.newKey(account, { scopes: ['templates:read'] });
    const other = await connect({ key });
    expect(await read(other, 'templates')).toEqual(list);
    expect(await call(other, 'domains')).toMatchObject({
      isError: true,
      text: expect.stringContaining('403'),
    });
  });

  it('refuses fields that a tool does not have', async () => {
    const answer = await call(await connect(), 'find_messages', { account_id: 'x' });
    expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/account_id/) });
  });

  it('sends once what a person approved, and shows the message with its attempts', async () => {
    const to = `${unique('ann')}@mail.test`;
    const person = { answer: 'accept' as const, seen: [] as string[] };
    const client = await connect({ options: ['--allow', to], person });
    const prepared = await call(client, 'prepare_message', message(to));
    expect(prepared.text).toContain(`To, a message each: ${to}`);
    expect(await sentTo(to)).toBe(0);
    expect(person.seen).toEqual([]);

    const given = { approval_id: approvalIn(prepared.text) };
    const sent = await read(client, 'send_prepared_message', given);
    expect(await read(client, 'send_prepared_message', given)).toEqual(sent);
    expect(person.seen).toEqual([expect.stringContaining('Good day')]);
    await eventually(() => sentTo(to)).toBe(1);

    const id = sent.data[0].id;
    await eventually(async () => (await read(client, 'message_timeline', { message_id: id })).status).toBe(
      'Delivered',
    );
    const found = await read(client, 'find_messages', { recipient: to });
    expect(found.data).toMatchObject([{ recipient: to, status: 'Delivered', subject: 'Hello' }]);
    const closed = await read(client, 'message_timeline', { message_id: id, include_content: true });
    expect(closed.delivery_attempts).toHaveLength(1);
    expect(closed.content).toMatch(/without --contents/);
    const reader = await connect({ options: ['--contents'] });
    const open = await read(reader, 'message_timeline', { message_id: id, include_content: true });
    expect(open.content.body).toContain('Good day');
  });

  it('sends nothing that the person declines, and nothing to others', async () => {
    const to = `${unique('ben')}@mail.test`;
    const client = await connect({ options: ['--allow', to], person: { answer: 'decline', seen: [] } });
    const { text } = await call(client, 'prepare_message', message(to));
    const declined = await call(client, 'send_prepared_message', { approval_id: approvalIn(text) });
    expect(declined).toEqual({ isError: true, text: 'the person did not approve it: nothing was sent' });
    const other = await call(client, 'prepare_message', message(`x${to}`));
    expect(other).toMatchObject({ isError: true, text: expect.stringContaining('not on the list') });
    expect(await sentTo(to)).toBe(0);
  });

  it('keeps the budget of the day over runs, and gives back what the API refuses', async () => {
    const own = await postmesh.newAccount();
    const domain = await postmesh.verifiedDomain(own);
    const to = `${unique('cleo')}@mail.test`;
    const options = ['--allow', to, '--per-day', '2', '--approve', 'off'];
    const mail = message(to, { from: `news@${domain}` });
    const first = await connect({ options, key: own.key });
    const refused = await call(first, 'send_message', { ...mail, from: 'news@not-ours.test' });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('400') });
    await read(first, 'send_message', mail);
    const second = await connect({ options, key: own.key });
    await read(second, 'send_message', mail);
    const third = await call(second, 'send_message', mail);
    expect(third).toMatchObject({ isError: true, text: expect.stringContaining('0 of 2 today') });
    await eventually(() => sentTo(to)).toBe(2);
  });

  it('shows a template as its recipient gets it, and sends it', async () => {
    const body = {
      name: 'T',
      subject: 'Hi {{ who }}',
      from: { email: `a@${shop}` },
      content: { html: '<p>Code {{ code }}</p>' },
      publish: true,
    };
    const made = await postmesh.api(account.key, 'POST', '{A}/templates', { body });
    expect(made.status).toBe(201);
    const to = `${unique('dora')}@mail.test`;
    const client = await connect({ options: ['--allow', 'mail.test'] });
    const { text } = await call(client, 'prepare_message', {
      from: `news@${shop}`,
      to: [to],
      template_id: made.body.id,
      substitutions: { who: 'Dora', code: 17 },
    });
    expect(text).toMatch(/Template: T\nSubject: Hi Dora\n[^]*Code 17/);
    await read(client, 'send_prepared_message', { approval_id: approvalIn(text) });
    await eventually(() => sentTo(to)).toBe(1);
  });
});
