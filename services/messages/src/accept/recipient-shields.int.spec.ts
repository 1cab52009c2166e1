import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DataSource } from 'typeorm';
import type { AccountFacts } from '@postmesh/contracts';
import { startTestService, type TestService } from '@postmesh/service-testing';
import type { Settings } from '@postmesh/settings';
import { testDatabase } from '@postmesh/testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { DOMAIN } from '../testing/domain.js';

// proven again: lists of the operator, which the shared installation does not have
const TOXIC = '553 Requested action not taken: recipient domain is toxic or tempmail';
const MISTYPED = '553 Requested action not taken: recipient domain has common a typo';
const BOTH = { reject_bad_recipients: true, reject_mistyped_recipients: true };

const database = testDatabase();
const start = (settings: Partial<Settings> = {}) =>
  startTestService(MESSAGES_SERVICE, {
    databaseUrl: database.url,
    settings: { logLevel: 'silent', ...settings },
    neighbours: { domains: () => ({ status: 200, body: DOMAIN }) },
  });
async function send(service: TestService, to: string[], account: Partial<AccountFacts>, more: object = {}) {
  const { status, body } = await service.call(
    'POST',
    `/v2/accounts/${service.accountId}/messages/conversation`,
    {
      account,
      body: {
        from: { email: 'a@shop.test' },
        to: to.map((email) => ({ email })),
        subject: 'Hello',
        text_content: 'x',
        ...more,
      },
    },
  );
  expect(status).toBe(202);
  return body.data as { id: string | null; status: string; error?: string }[];
}
const errors = async (...given: Parameters<typeof send>) =>
  (await send(...given)).map(({ error, status }) => error ?? status);

describe('§7 rule 4: recipient shields with the lists that come with Postmesh', () => {
  let messages: TestService;
  beforeAll(async () => {
    messages = await start();
  });
  afterAll(() => messages?.stop());

  const query = (sql: string, parameters: unknown[] = []) =>
    messages.service.get(DataSource).query(sql, parameters) as Promise<{ recipient: string }[]>;

  it('refuse those recipients, and the message goes to the others, who still see all addresses', async () => {
    const results = await send(
      messages,
      ['x@mailinator.com', 'ann@mail.test', 'y@mail.Yopmail.com', 'z@hotnail.com', 'w@gmai.com'],
      BOTH,
    );
    expect(results.map(({ error, status }) => error ?? status)).toEqual([
      TOXIC,
      'queued',
      TOXIC,
      MISTYPED,
      MISTYPED,
    ]);
    expect(results.map(({ id }) => id === null)).toEqual([true, false, true, true, true]);
    const id = results[1]!.id!;
    const rows = await query('select recipient from messages where send_request_id = $1', [id.slice(1, 37)]);
    expect(rows).toEqual([{ recipient: 'ann@mail.test' }]);
    const read = await messages.call(
      'GET',
      `/v2/accounts/${messages.accountId}/messages/${encodeURIComponent(id)}`,
    );
    expect(read.body.content).toContain('w@gmai.com');
  });

  it('that refuse every recipient leave nothing to send, and the response is a success', async () => {
    expect(await errors(messages, ['x@mailinator.com'], BOTH)).toEqual([TOXIC]);
  });

  it('are each on for the accounts that enabled it, in the sandbox too', async () => {
    const to = ['x@mailinator.com', 'x@gmial.com'];
    expect(await errors(messages, to, {})).toEqual(['queued', 'queued']);
    expect(await errors(messages, to, { reject_bad_recipients: true })).toEqual([TOXIC, 'queued']);
    expect(await errors(messages, to, { reject_mistyped_recipients: true })).toEqual(['queued', MISTYPED]);
    expect(await errors(messages, to, BOTH, { sandbox: true })).toEqual([TOXIC, MISTYPED]);
  });

  it('do not count refused recipients', async () => {
    const account = { ...BOTH, monthly_credit: 1_000_000 };
    const used = async () =>
      (
        (await query(
          'select coalesce(sum(accepted), 0)::int as count from usage where account_id = $1 and not whole_family',
          [messages.accountId],
        )) as unknown as { count: number }[]
      )[0]!.count;
    const before = await used();
    await send(messages, ['x@mailinator.com', 'ann@mail.test'], account);
    expect((await used()) - before).toBe(1);
  });
});

describe('§7 rule 4: recipient shields with the lists of the operator', () => {
  let folder: string;
  let messages: TestService;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postmesh-shields-'));
    await writeFile(join(folder, 'toxic.txt'), 'tempbox.test # since May\n');
    await writeFile(join(folder, 'mistyped.txt'), 'mial.test\n');
    messages = await start({
      toxicDomainsFile: join(folder, 'toxic.txt'),
      mistypedDomainsFile: join(folder, 'mistyped.txt'),
    });
  });
  afterAll(async () => {
    await messages?.stop();
    await rm(folder, { recursive: true });
  });

  it('replace those that come with Postmesh, in their current state', async () => {
    const to = [
      'a@tempbox.test',
      'a@mx.tempbox.test',
      'a@mial.test',
      'a@mailinator.com',
      'a@gmai.com',
      'a@new.test',
    ];
    const before = [TOXIC, TOXIC, MISTYPED, 'queued', 'queued', 'queued'];
    expect(await errors(messages, to, BOTH)).toEqual(before);
    await writeFile(join(folder, 'toxic.txt'), '# ours\ntempbox.test # since May\nnew.test\n');
    // the file is checked again after an interval
    const real = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => real() + 60_000);
    try {
      expect(await errors(messages, to, BOTH)).toEqual([...before.slice(0, 5), TOXIC]);
    } finally {
      clock.mockRestore();
    }
  });

  it('must be there at the start', async () => {
    await expect(start({ toxicDomainsFile: join(folder, 'none.txt') })).rejects.toThrow(/none\.txt/);
  });
});
