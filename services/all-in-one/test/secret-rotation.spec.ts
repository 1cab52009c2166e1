import { execFile } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { SecretBox } from '@postmesh/secrets';
import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { facts } from './contract/installation-facts.js';
import { Installation } from './installation.js';

const A = 'the-key-of-the-first-year-long-enough';
const B = 'the-key-of-the-second-year-long-enough';
const CLI = fileURLToPath(new URL('../../../tools/postmesh.mjs', import.meta.url));
const MANY = 3_000;

/** The steps of docs/operations.md, "Keys", in their order: each test is the next one. */
describe('a rotation of POSTMESH_SECRET_KEYS', () => {
  const settings: Record<string, string> = { POSTMESH_SECRET_KEYS: A };
  let postmesh: Installation;
  let receiver: HttpReceiver;
  let webhook: { id: string; secret: string };
  const keys: Record<'used' | 'unused', { id: string; secret_key: string }> = {} as never;

  beforeAll(async () => {
    receiver = await startHttpReceiver();
    postmesh = await Installation.create(settings);
    await postmesh.start();
  });
  afterAll(async () => {
    await postmesh?.remove();
    await receiver?.close();
  });

  async function restartWith(...secretKeys: string[]): Promise<void> {
    await postmesh.stop();
    settings.POSTMESH_SECRET_KEYS = secretKeys.join(',');
    await postmesh.start();
  }

  async function create(path: string, body: object) {
    const made = await postmesh.api('POST', `{A}/${path}`, body);
    expect(made.status).toBe(201);
    return made.body;
  }

  async function sql(text: string, parameters: unknown[] = []): Promise<{ [column: string]: unknown }[]> {
    const client = new pg.Client({ connectionString: (await facts(postmesh)).databaseUrl });
    await client.connect();
    try {
      return (await client.query(text, parameters)).rows;
    } finally {
      await client.end();
    }
  }

  const cli = (...words: string[]) =>
    new Promise<{ code: number; text: string }>((resolve) => {
      const env = { PATH: process.env.PATH, POSTMESH_DATA_DIR: postmesh.dataDir };
      execFile(process.execPath, [CLI, ...words], { env }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), text: `${stdout}${stderr}` }),
      );
    });

  const pingAs = async (secret: string): Promise<number> => {
    const headers = { authorization: `Bearer ${secret}` };
    return (await fetch(`${postmesh.credentials.base_url}/v2/ping`, { headers })).status;
  };

  /** A message that is signed with the domain's key, and its webhook call that is signed with the webhook's secret. */
  async function expectSignatures(subject: string): Promise<void> {
    const sent = await postmesh.api('POST', '{A}/messages/conversation', {
      from: { email: 'news@shop.test' },
      to: [{ email: 'ann@mail.test' }],
      subject,
      text_content: 'x',
    });
    expect(sent.status).toBe(202);
    const found = async () => (await postmesh.mailbox(`/api/messages?subject=${subject}`)).body.messages;
    await expect.poll(found).toMatchObject([{ subject, auth: { dkim: 'pass' } }]);
    const call = () => receiver.requests.find(({ body }) => body.toString().includes(subject));
    await expect.poll(call).toBeDefined();
    const { headers = {}, body = Buffer.alloc(0) } = call() ?? {};
    const mac = createHmac('sha256', webhook.secret)
      .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`)
      .update(body);
    expect(headers['webhook-signature']).toBe(`v1,${mac.digest('base64')}`);
  }

  it('begins with everything under the first key, and nothing of it in clear', async () => {
    await postmesh.verifiedDomain('shop.test');
    webhook = await create('webhooks', {
      name: 'All',
      url: receiver.url,
      scope: 'global',
      on_delivered: true,
    });
    keys.used = await create('api-keys', { label: 'used', scopes: ['*'] });
    keys.unused = await create('api-keys', { label: 'unused', scopes: ['*'] });
    await expectSignatures('first');
    const { code, text } = await cli('secrets-rotate', '--status');
    expect(text).toMatch(/domains +dkim-keys +[1-9]\d* +0 +0 +current/);
    expect(code).toBe(0);
    for (const secret of ['PRIVATE KEY', webhook.secret, keys.unused.secret_key]) {
      expect(await tablesWith(sql, secret), secret).toEqual([]);
    }
  });

  it('appends the new key: nothing changes', async () => {
    await restartWith(A, B);
    expect(await cli('secrets-rotate', '--status')).toMatchObject({ code: 0 });
  });

  it('puts it first: existing secrets are still readable, and counted as older', async () => {
    await restartWith(B, A);
    await expectSignatures('second');
    const { code, text } = await cli('secrets-rotate', '--status');
    expect(text).toMatch(/webhooks +webhook-secrets +0 +1 +0 +to rotate/);
    expect(text).toMatch(/accounts +api-keys +\d +2 +0 +at next use/);
    expect(code).toBe(1);
  });

  it('rotates, also when it is killed while it does', async () => {
    const box = new SecretBox([A]);
    const ids = Array.from({ length: MANY }, () => randomUUID());
    await sql(
      `insert into webhooks.webhooks
       select (json_populate_record(one, json_build_object(
         'id', copy.id, 'account_id', copy.id, 'sealed_secret', copy.sealed))).*
       from webhooks.webhooks one, unnest($1::uuid[], $2::text[]) as copy (id, sealed) where one.id = $3`,
      [ids, ids.map((id) => box.seal('hush', `webhook/${id}`)), webhook.id],
    );
    await postmesh.operator('POST', '/operator/secrets/rotate');
    await postmesh.stop('SIGKILL');
    await restartWith(B, A);
    expect((await cli('secrets-rotate')).text).toMatch(/rotating +NO/);
    const { text } = await cli('secrets-rotate', '--status');
    expect(text).toMatch(new RegExp(`webhooks +webhook-secrets +${MANY + 1} +0 +0 +current`));
    expect(text).toMatch(/domains +dkim-keys +[1-9]\d* +0 +0 +current/);
    expect(text).not.toMatch(/to rotate/);
  });

  it('counts API keys until they are used, and says by its exit code when the old key can go', async () => {
    expect(await pingAs(keys.used.secret_key)).toBe(200);
    const status = () => cli('secrets-rotate', '--status');
    // the key in credentials.json was rehashed at the start
    await expect.poll(async () => (await status()).text).toMatch(/accounts +api-keys +2 +1 +0 +at next use/);
    expect((await status()).code).toBe(1);
    const rows = await sql(`select label from accounts.api_keys where pepper_id <> $1`, [
      new SecretBox([B]).keyIds[0],
    ]);
    expect(rows).toEqual([{ label: 'unused' }]);
  });

  it('removes the old key: signing, webhooks and the keys that were used work', async () => {
    await restartWith(B);
    await expectSignatures('third');
    expect(await pingAs(keys.used.secret_key)).toBe(200);
    expect(await pingAs(keys.unused.secret_key)).toBe(401);
    const { code, text } = await cli('secrets-rotate', '--status');
    expect(text).toMatch(/accounts +api-keys +2 +0 +1 +current/);
    expect(code).toBe(0);
    const entries = await postmesh.operator('GET', '/operator/accounts/audit?actor=operator');
    expect(JSON.stringify(entries.body)).toContain('secrets/rotate');
  });
});

/** Searches every row of every table for a word, as text. */
async function tablesWith(
  sql: (text: string, parameters?: unknown[]) => Promise<{ [column: string]: unknown }[]>,
  word: string,
): Promise<unknown[]> {
  const tables = await sql(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const found: unknown[] = [];
  for (const { name } of tables) {
    const rows = await sql(`select 1 from ${name} one where one::text like $1 limit 1`, [`%${word}%`]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}
