import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountFacts } from '@postmesh/contracts';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { DOMAIN } from '../testing/domain.js';

const DEFAULTS = {
  track_opens: true,
  track_clicks: false,
  message_metadata_retention: 20,
  message_data_retention: 3,
};

const database = testDatabase();
let messages: TestService;

beforeAll(async () => {
  messages = await startTestService(MESSAGES_SERVICE, {
    databaseUrl: database.url,
    neighbours: { domains: () => ({ status: 200, body: DOMAIN }) },
  });
});
afterAll(() => messages?.stop());

/** @returns the id of the send request */
async function send(account: Partial<AccountFacts>, more: object = {}): Promise<string> {
  const path = `/v2/accounts/${messages.accountId}/messages/conversation`;
  const message = { from: { email: 'a@shop.test' }, to: [{ email: 'b@mail.test' }], subject: 's' };
  const body = { ...message, text_content: 't', ...more };
  const response = await messages.call('POST', path, { account, body });
  expect(response.status).toBe(202);
  return (response.body.data[0].id as string).slice(1, 37);
}

/** What is kept of it: tracking, and the days of both clocks. */
async function kept(id: string): Promise<unknown[]> {
  const [row] = await messages.service.get(DataSource).query(
    `select track_opens, track_clicks, extract(day from retain_metadata_until - created_at)::int as metadata,
       extract(day from retain_data_until - created_at)::int as data from send_requests where id = $1`,
    [id],
  );
  return [row.track_opens, row.track_clicks, row.metadata, row.data];
}

describe('§7 rule 2: the defaults of the account', () => {
  it('count for a message that says nothing itself, each as it was when that was accepted', async () => {
    const before = await send(DEFAULTS);
    const after = await send({
      ...DEFAULTS,
      track_opens: false,
      track_clicks: true,
      message_data_retention: 0,
    });
    expect(await kept(before)).toEqual([true, false, 20, 3]);
    expect(await kept(after)).toEqual([false, true, 20, 0]);
  });

  it('give way to what a message says itself, member by member', async () => {
    const id = await send(DEFAULTS, { tracking: { open: false }, retention: { metadata: 5 } });
    expect(await kept(id)).toEqual([false, false, 5, 3]);
    expect(await kept(await send(DEFAULTS, { tracking: null, retention: { data: null } }))).toEqual([
      ...[true, false],
      ...[20, 3],
    ]);
  });

  it('never keep the content longer than the record', async () => {
    const id = await send({ ...DEFAULTS, message_metadata_retention: 2, message_data_retention: 30 });
    expect(await kept(id)).toEqual([true, false, 2, 2]);
  });
});
