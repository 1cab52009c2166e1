import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually, ownInstallation } from './contract/harness.js';
import { ok, Sender } from './contract/sender.js';
import { HousesClient } from './houses-client.js';

const folder = mkdtempSync(join(tmpdir(), 'postmesh-shaping-'));
const shapingFile = join(folder, 'shaping.json');
/** Houses that are taken for the provider that they behave like. */
const AS_PROVIDERS = {
  google: { match: ['.google.com', '.googlemail.com', '.googleish.houses.test'] },
  outlook: { match: ['.olc.protection.outlook.com', '.outlookish.houses.test'] },
};
// connections, to google and outlook
const STARTS_WITH = 5;
const DEFAULT_STARTS_WITH = 3;
const RECIPIENTS_PER_CALL = 40;

writeFileSync(shapingFile, JSON.stringify(AS_PROVIDERS));
const postmesh = ownInstallation({
  POSTMESH_SHAPING_FILE: shapingFile,
  // what was deferred does not come again while a test looks
  POSTMESH_RETRY_DELAYS_S: '600,600,600,600,600,600,600',
});
const houses = new HousesClient(postmesh);
let sender: Sender;
beforeEach(async () => {
  sender = await Sender.make(postmesh);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Messages to many domains that share the host of a house. */
async function send(house: string, count: number): Promise<void> {
  const all = Array.from({ length: count }, (_, nth) => `u${nth}@n${nth % 20}.${house}.houses.test`);
  for (let at = 0; at < count; at += RECIPIENTS_PER_CALL) {
    ok(await sender.trySend(all.slice(at, at + RECIPIENTS_PER_CALL)), 202);
  }
}

interface Group {
  group: string;
  provider: string | null;
  connections_allowed: number;
  per_connection: number;
  state: string;
  suspended_until: string | null;
  reason: string | null;
}

/** What the operator reads of the group that a house's domains share. */
async function groupOf(house: string): Promise<Group | undefined> {
  const [row] = await postmesh.sql<{ group_key: string }>(
    'select group_key from delivery_worker.mx_domains where domain = $1',
    [`n0.${house}.houses.test`],
  );
  const { groups } = ok(await postmesh.operator('GET', '/operator/delivery-worker/queue'), 200);
  return groups.find(({ group }: Group) => group === row?.group_key);
}

const suspended = (house: string) =>
  eventually(async () => (await groupOf(house))?.state, 20_000).toBe('suspended');

async function resume(house: string): Promise<void> {
  const { group = '' } = (await groupOf(house)) ?? {};
  const path = `/operator/delivery-worker/queue/groups/${encodeURIComponent(group)}/resume`;
  ok(await postmesh.operator('POST', path), 200);
}

/** Waits until all messages of this test's account are delivered. @returns how many attempts they had, at most */
async function allDelivered(count: number): Promise<number> {
  const read = () =>
    postmesh.sql<{ status: string; num_attempts: number }>(
      'select status, num_attempts from messages.messages where account_id = $1',
      [sender.account.id],
    );
  await eventually(
    async () => (await read()).filter(({ status }) => status === 'Delivered').length,
    60_000,
  ).toBe(count);
  return Math.max(...(await read()).map(({ num_attempts }) => num_attempts));
}

describe('a provider that slows down', () => {
  it('googleish: few are deferred for a rate that many domains share; then nothing before an end', async () => {
    await houses.change('googleish', { rate: { messages: 10 } });
    await send('googleish', 100);
    await suspended('googleish');
    const group = await groupOf('googleish');
    expect(group).toMatchObject({ group: 'p:google', provider: 'google', connections_allowed: 0 });
    expect(Date.parse(group?.suspended_until ?? '')).toBeGreaterThan(Date.now());
    expect(group?.reason).toMatch(/^Google slowed down .*421 4\.7\.28/);
    const { counts } = await houses.view('googleish');
    // of the other ninety only what was on its way over the connections that it begins with
    expect(counts.accepted).toBeLessThanOrEqual(10 + STARTS_WITH);
    expect(counts.rejected).toBeLessThanOrEqual(STARTS_WITH);

    await houses.reset('googleish');
    await resume('googleish');
    await houses.count('googleish', 'accepted', 40_000).toBeGreaterThan(2);
    // one connection probes, and what follows it goes over no more than one
    expect((await houses.view('googleish')).counts).toMatchObject({ rejected: 0, most_open: 1 });
  }, 90_000);

  it('outlookish: one message probes, a failing probe suspends again and for longer, a good one recovers', async () => {
    await houses.change('outlookish', { untilQuiet: { messages: 5, quietSeconds: 3_600 } });
    await send('outlookish', 40);
    await suspended('outlookish');
    const first = await groupOf('outlookish');
    const before = (await houses.view('outlookish')).counts;
    expect(before.accepted).toBeLessThanOrEqual(5 + STARTS_WITH);
    expect(before.rejected).toBeLessThanOrEqual(STARTS_WITH);

    await resume('outlookish');
    await houses.count('outlookish', 'rejected', 30_000).toBe(before.rejected + 1);
    await suspended('outlookish');
    const second = await groupOf('outlookish');
    expect(Date.parse(second?.suspended_until ?? '')).toBeGreaterThanOrEqual(
      Date.parse(first?.suspended_until ?? ''),
    );
    expect((await houses.view('outlookish')).counts).toMatchObject({
      accepted: before.accepted,
      rejected: before.rejected + 1,
    });

    await houses.change('outlookish', { untilQuiet: null });
    await resume('outlookish');
    await eventually(async () => (await groupOf('outlookish'))?.state, 30_000).toBe('open');
    await houses.count('outlookish', 'accepted', 30_000).toBeGreaterThan(before.accepted + 2);
  }, 120_000);
});

describe('a server with limits of its connections', () => {
  it('yahooish: what it takes per connection is learnt without a cut, and no message has to come twice', async () => {
    await houses.change('yahooish', { perConnection: { most: 5 } });
    await send('yahooish', 120);
    expect(await allDelivered(120)).toBe(1);
    expect(await groupOf('yahooish')).toMatchObject({ per_connection: 4, state: 'open' });
    expect((await groupOf('yahooish'))?.connections_allowed).toBeGreaterThanOrEqual(DEFAULT_STARTS_WITH);
  }, 90_000);

  it('limited: one connection too many is tried, and no message is deferred for it', async () => {
    await send('limited', 60);
    expect(await allDelivered(60)).toBe(1);
    const { counts } = await houses.view('limited');
    expect(counts.rejected).toBeLessThanOrEqual(DEFAULT_STARTS_WITH);
  }, 90_000);
});
