import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { checkDns, publishZone, type ListedRecord } from './dns-zones.js';
import { sendMessage } from './families.js';
import {
  eventually,
  expectError,
  sharedInstallation,
  TIMESTAMP,
  unique,
  uniqueDomain,
  type Account,
} from './harness.js';

const postmesh = sharedInstallation();
// The background queries due domains every 15 s; on a busy machine a run over many domains takes longer.
const SWEPT_MS = 90_000;
const TEST_MS = SWEPT_MS + 10_000;

let account: Account;
let receiver: HttpReceiver;
let webhookId: string;

interface Row {
  state: string;
  failures: number;
  dns_valid: boolean;
}

const path = (domain: string) => `{A}/domains/${domain}`;
const row = async (domain: string, of = account): Promise<Row> => {
  const [found] = await postmesh.sql<Omit<Row, 'dns_valid'>>(
    'select state, failures from domains.domains where domain = $1 and account_id = $2',
    [domain, of.id],
  );
  const { body } = await postmesh.api(of.key, 'GET', path(domain));
  return { ...(found as Row), dns_valid: body.dns_valid };
};
const check = async (domain: string, by = account) => (await checkDns(postmesh, by, domain)).body;

/** A valid domain whose records are published by the test from now on, without those with these labels. */
async function spoilt(labels: readonly string[] = ['DMARC']): Promise<string> {
  const domain = await postmesh.verifiedDomain(account, uniqueDomain('state'));
  await publish(domain, labels);
  return domain;
}

async function publish(domain: string, except: readonly string[] = [], by = account): Promise<void> {
  const { body } = await postmesh.api(by.key, 'GET', path(domain));
  const records = (body.dns_records as ListedRecord[]).filter(({ label }) => !except.includes(label));
  await publishZone(postmesh, domain, { records });
}

/** The background checks them next, before those of other tests, because of their number of failures. */
const makeDue = (domains: readonly string[], failures = 0) =>
  postmesh.sql(
    `update domains.domains set next_check_at = now() - interval '1 day', failures = $2::int,
        state = case when $2::int > 0 then 'suspect' else state end
      where domain = any($1)`,
    [domains, failures],
  );

const notices = (domain: string) =>
  receiver.requests
    .map((request) => JSON.parse(request.body.toString()))
    .filter((body) => body.data.domain === domain);

beforeAll(async () => {
  account = await postmesh.newAccount();
  receiver = await startHttpReceiver();
  const body = { name: 'DNS', url: receiver.url, scope: 'global', on_dns_error: true };
  const made = await postmesh.api(account.key, 'POST', '{A}/webhooks', { body });
  expect(made.status).toBe(201);
  webhookId = made.body.id;
});
afterAll(() => receiver?.close());

describe('the DNS state of a domain, when a client asks', () => {
  it('§11.5 rule 1 a check that passes makes it valid', async () => {
    const domain = uniqueDomain('state');
    const made = await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain } });
    expect(made.body.dns_valid).toBe(false);
    expect((await check(domain)).dns_valid).toBe(true);
    expect(await row(domain)).toMatchObject({ state: 'valid', failures: 0 });
  });

  it('§11.5 rule 4, §11.5 rule 5, §11.5 rule 6 check-dns makes it invalid at once, with one call; then valid again, with none', async () => {
    const domain = await spoilt(['SPF', 'DMARC']);
    const checked = await check(domain);
    expect(checked.dns_valid).toBe(false);
    await eventually(() => notices(domain).length).toBe(1);
    expect(notices(domain)[0]).toEqual({
      type: 'domain.dns_error',
      webhook_id: webhookId,
      timestamp: expect.stringMatching(TIMESTAMP),
      data: {
        domain,
        account_id: account.id,
        spf_valid: false,
        dkim_valid: true,
        dmarc_valid: false,
        dns_last_checked_at: expect.stringMatching(TIMESTAMP),
      },
    });
    const { dns_last_checked_at: at } = notices(domain)[0].data;
    expect(Date.parse(at)).toBe(Date.parse(checked.last_dns_check_at));
    expect((await check(domain)).dns_valid).toBe(false);
    await publish(domain);
    expect((await check(domain)).dns_valid).toBe(true);
    await publish(domain, ['DKIM']);
    expect((await check(domain)).dns_valid).toBe(false);
    // the second transition follows all events of the first states
    await eventually(() => notices(domain).length).toBe(2);
    expect(notices(domain)[1].data).toMatchObject({ spf_valid: true, dkim_valid: false, dmarc_valid: true });
  });

  it('§11.5 rule 7 no mail is accepted from an invalid domain; mail that was accepted earlier is delivered', async () => {
    const domain = await spoilt();
    const email = `${unique('greylist')}@mail.test`;
    const sent = await sendMessage(postmesh, account, { from: domain, to: [email] });
    expect(sent.status).toBe(202);
    const { id } = sent.body.data[0];
    const read = () => postmesh.api(account.key, 'GET', `{A}/messages/${encodeURIComponent(id)}`);
    await eventually(async () => (await read()).body.status).toBe('Deferred');
    expect((await check(domain)).dns_valid).toBe(false);
    const send = () => sendMessage(postmesh, account, { from: domain, to: [`${unique('x')}@mail.test`] });
    expectError(await send(), 400, `domain '${domain}' does not have valid DNS records`);
    // its retry would come five minutes later
    await postmesh.sql('update delivery_worker.deliveries set due_at = now() where recipient = $1', [email]);
    await eventually(async () => (await postmesh.messagesTo(email)).length, 30_000).toBe(1);
  });
});

describe('the DNS state of a domain, in the background', { timeout: TEST_MS }, () => {
  let once: string;
  let thrice: string;
  let mended: string;
  let copied: string;
  let apart: string;
  let other: Account;

  beforeAll(async () => {
    other = await postmesh.newAccount();
    once = await spoilt();
    thrice = await spoilt();
    mended = await spoilt([]);
    copied = await postmesh.verifiedDomain(other, uniqueDomain('copy'));
    apart = uniqueDomain('apart');
    const theirs = { domain: apart, dkim_selector: 'theirs' };
    expect((await postmesh.api(other.key, 'POST', '{A}/domains', { body: theirs })).status).toBe(201);
    expect((await check(apart, other)).dns_valid).toBe(true);
    await makeDue([once]);
    await makeDue([mended], 1);
    await makeDue([thrice], 2);
    for (const domain of [copied, apart]) {
      expect((await postmesh.api(account.key, 'POST', '{A}/domains', { body: { domain } })).status).toBe(201);
      await publish(domain);
      expect((await check(domain)).dns_valid).toBe(true);
    }
  });
  const becomes = (domain: string, expected: Partial<Row>, of = account) =>
    eventually(() => row(domain, of), SWEPT_MS).toMatchObject(expected);

  it('§11.5 rule 2 a failure makes a valid one suspect, which counts as valid; it is due after 5 minutes', async () => {
    await becomes(once, { state: 'suspect', failures: 1, dns_valid: true });
    const [due] = await postmesh.sql<{ minutes: number }>(
      `select extract(epoch from next_check_at - last_dns_check_at)::float / 60 as minutes
        from domains.domains where domain = $1`,
      [once],
    );
    expect(due?.minutes).toBe(5);
  });

  it('§11.5 rule 3 a pass makes a suspect one valid, without a call', async () => {
    await becomes(mended, { state: 'valid', failures: 0 });
    expect(notices(mended)).toEqual([]);
  });

  it('§11.5 rule 4, §11.5 rule 5 the third failure in a row makes it invalid, with one call', async () => {
    await becomes(thrice, { state: 'invalid', dns_valid: false });
    await eventually(() => notices(thrice).length).toBe(1);
    expect(notices(once)).toEqual([]);
  });

  it('§11.5 rule 8 a copy that no longer validates is invalid when another account becomes valid, under the same selector only', async () => {
    await becomes(copied, { state: 'invalid', dns_valid: false }, other);
    expect(await row(copied)).toMatchObject({ state: 'valid', dns_valid: true });
    expect(await row(apart, other)).toMatchObject({ state: 'valid', dns_valid: true });
  });
});
