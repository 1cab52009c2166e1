import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, ownInstallation, unique } from './contract/harness.js';
import { ok, Sender } from './contract/sender.js';
import { CampaignClient } from './campaign-client.js';
import { HousesClient } from './houses-client.js';

// Every attack below asks for more than all of them.
const PLACES = 40;
const RECIPIENTS_PER_CALL = 25;
const VICTIMS = 5;
// Messages of a campaign that may pass while one message of others waits: six of its requests, for any size of its
// backlog.
const PASSING = 300;
// a tenth of a second each
const SETTLED_LOOKS = 20;

const postmesh = ownInstallation({
  POSTMESH_DELIVERY_CONCURRENCY: String(PLACES),
  POSTMESH_RETRY_DELAYS_S: '600,600,600,600,600,600,600',
});
const houses = new HousesClient(postmesh);
let victim: Sender;
beforeAll(async () => {
  victim = await Sender.make(postmesh);
});
// without it, the tests would wait for hanging connections
afterAll(() => postmesh.installation.stop('SIGKILL'));

interface Single {
  acceptedAt: number;
  receivedAt: number;
}

/** Messages in the mailbox with this text in recipient or subject, by their arrival. */
async function arrivals(where: Record<string, string>): Promise<number[]> {
  const query = new URLSearchParams({ ...where, limit: '10000', wait: '0' });
  const { body } = await postmesh.mailbox(`/api/messages?${query}`);
  return body.messages.map(({ received_at }: { received_at: string }) => Date.parse(received_at)).sort();
}

/** Messages of the victim, one after another. */
async function sendSingles(count: number, domain = 'idle.test'): Promise<Single[]> {
  const singles: Single[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const to = `${unique('single')}@${domain}`;
    await victim.send(to);
    const acceptedAt = Date.now();
    await eventually(() => arrivals({ to }), 120_000).toHaveLength(1);
    singles.push({ acceptedAt, receivedAt: (await arrivals({ to }))[0] ?? 0 });
  }
  return singles;
}

/**
 * Sends to all of these from another account, a new one each time, call after call: each call makes a worker claim
 * again.
 */
async function attack(subject: string, recipients: readonly string[]): Promise<void> {
  const attacker = await Sender.make(postmesh);
  for (let at = 0; at < recipients.length; at += RECIPIENTS_PER_CALL) {
    ok(await attacker.trySend(recipients.slice(at, at + RECIPIENTS_PER_CALL), { subject }), 202);
  }
}

/** Waits until an attack has all connections to a house that it is allowed. */
async function hasAllItGets(house: string): Promise<void> {
  const last: number[] = [];
  const isSettled = async () => {
    last.unshift((await houses.view(house)).counts.open);
    return (
      last.length > SETTLED_LOOKS &&
      last.slice(0, SETTLED_LOOKS).every((open) => open === last[0] && open > 0)
    );
  };
  await eventually(isSettled, 60_000).toBe(true);
}

const numbered = (count: number, domain: (nth: number) => string): string[] =>
  Array.from({ length: count }, (_, nth) => `ann@${domain(nth)}`);

/** For people: no test asserts times. */
function say(what: string, baseline: readonly Single[], during: readonly Single[]): void {
  const waited = (singles: readonly Single[]) =>
    singles.map(({ acceptedAt, receivedAt }) => Math.max(0, receivedAt - acceptedAt)).sort((a, b) => a - b);
  const [before, then] = [waited(baseline), waited(during)];
  process.stdout.write(
    `\n  ${what}: single messages waited ${then.join(', ')} ms; alone ${before.join(', ')} ms\n`,
  );
}

/** Messages with compiled code, open connections and prepared statements. */
async function alone(domain?: string): Promise<Single[]> {
  await sendSingles(1, domain);
  return sendSingles(VICTIMS, domain);
}

describe('messages of others go out', () => {
  it('while many domains wait for one slow host', async () => {
    await houses.change('slow', { bytesPerSecond: 20 });
    const baseline = await alone();
    await attack(
      'Slow',
      numbered(200, (nth) => `n${nth}.slow.houses.test`),
    );
    await hasAllItGets('slow');
    const during = await sendSingles(VICTIMS);
    say('200 domains at one slow host', baseline, during);
    // the slow host took next to nothing meanwhile, so no victim waited for its messages
    const { events } = await houses.view('slow');
    for (const { acceptedAt, receivedAt } of during) {
      const meanwhile = events.filter(
        ({ what, at }) => what === 'accepted' && Date.parse(at) >= acceptedAt && Date.parse(at) <= receivedAt,
      );
      expect(meanwhile.length).toBeLessThan(PLACES / 4);
    }
    await houses.change('slow', { bytesPerSecond: 1_000_000 });
    await houses.count('slow', 'accepted', 60_000).toBe(200);
  });

  it('while an account sends very much to the same domains', async () => {
    // some hundred messages a second: far less than is accepted
    await houses.change('slow', { bytesPerSecond: 3_000 });
    const baseline = await alone('n0.slow.houses.test');
    const bulk = 1_000;
    await attack(
      'Bulk',
      numbered(bulk, (nth) => `n${nth % 20}.slow.houses.test`),
    );
    const during = await sendSingles(VICTIMS, 'n0.slow.houses.test');
    const arrived = await arrivals({ subject: 'Bulk' });
    say(`${bulk} messages of another account to the same domains`, baseline, during);
    const [first] = during;
    expect(arrived.filter((at) => at < (first?.acceptedAt ?? 0)).length).toBeLessThan(bulk / 2);
    for (const { acceptedAt, receivedAt } of during) {
      const waiting = bulk - arrived.filter((at) => at < acceptedAt).length;
      const passed = arrived.filter((at) => at >= acceptedAt && at <= receivedAt).length;
      // near the end of the backlog the order means nothing
      expect(passed).toBeLessThan(Math.max(waiting / 2, 100));
    }
  });

  it('while a campaign of another account goes out', async () => {
    const baseline = await alone('mail.test');
    const attacker = await Sender.make(postmesh);
    const campaigns = new CampaignClient(
      async (method, path, wanted, body) => ok(await attacker.api(method, path, body), wanted),
      `news@${attacker.domain}`,
    );
    const recipients = 3_000;
    const list = await campaigns.list(
      Array.from({ length: recipients }, (_, nth) => `reader${nth}@mail.test`),
    );
    const id = await campaigns.campaign([list], { subject: 'Campaign' });
    await campaigns.send(id);
    await eventually(async () => (await arrivals({ subject: 'Campaign' })).length, 60_000).toBeGreaterThan(
      50,
    );
    const during = await sendSingles(VICTIMS, 'mail.test');
    await eventually(async () => (await arrivals({ subject: 'Campaign' })).length, 120_000).toBe(recipients);
    const arrived = await arrivals({ subject: 'Campaign' });
    say(`a campaign of ${recipients} of another account`, baseline, during);
    for (const { acceptedAt, receivedAt } of during) {
      const passed = arrived.filter((at) => at >= acceptedAt && at <= receivedAt).length;
      expect(passed).toBeLessThan(PASSING);
    }
  }, 200_000);

  // last, because hanging attempts keep their permits
  it('while many names at hosts that never reply hang', async () => {
    const baseline = await alone();
    await attack(
      'Silent',
      numbered(200, (nth) => `n${nth}.scattered.houses.test`),
    );
    await hasAllItGets('scattered');
    const during = await sendSingles(VICTIMS);
    say('200 names at hosts that never reply', baseline, during);
    // no hanging connection had to end for them, and the attack never had all permits
    const { events, counts } = await houses.view('scattered');
    const lastArrival = Math.max(...during.map(({ receivedAt }) => receivedAt));
    const ended = events.filter(({ what, at }) => what === 'closed' && Date.parse(at) < lastArrival);
    expect(ended).toEqual([]);
    expect(counts.most_open).toBeLessThan(PLACES);
  });
});
