import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { eventually, ownInstallation, unique } from '../contract/harness.js';
import { ok, Sender } from '../contract/sender.js';

const WEBHOOKS = 20;
const ROUNDS = 2;
const SENDS_PER_ROUND = 3;
const RECIPIENTS = 40;

/** Matching, telling piece by piece, counting and calling are all under way then. */
const randomMs = () => Math.floor(Math.random() * 700);

describe('kill -9 while events are told to webhooks', () => {
  const postmesh = ownInstallation({});
  let receiver: HttpReceiver;
  beforeAll(async () => {
    receiver = await startHttpReceiver();
  });
  afterAll(() => receiver?.close());

  it('misses no event of any webhook, and every repeat has the webhook-id of the first', async () => {
    const sender = await Sender.make(postmesh);
    const flags = { on_reception: true, on_delivered: true, on_bounced: true };
    const hooks: string[] = [];
    for (let nth = 0; nth < WEBHOOKS; nth += 1) {
      const body = { name: 'Hook', url: receiver.url, scope: 'global', ...flags };
      hooks.push(ok(await sender.api('POST', '{A}/webhooks', body), 201).id);
    }
    const accepted: string[] = [];
    const sendOne = async () => {
      const to = Array.from({ length: RECIPIENTS }, () => `${unique('r')}@mail.test`);
      const more = { sandbox: true, sandbox_result: accepted.length % 2 ? 'deliver' : 'bounce' };
      const { status, body } = await sender.trySend(to, more);
      if (status === 202) accepted.push(...body.data.map(({ id }: { id: string }) => id));
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let nth = 0; nth < SENDS_PER_ROUND; nth += 1) await sendOne();
      await new Promise((resolve) => setTimeout(resolve, randomMs()));
      await postmesh.installation.stop('SIGKILL');
      await postmesh.start({});
    }
    // a reception and an outcome of each message, told to each webhook
    const wanted = accepted.length * 2 * WEBHOOKS;
    expect(accepted).toHaveLength(ROUNDS * SENDS_PER_ROUND * RECIPIENTS);
    await eventually(() => idsPerEvent(receiver).size, 180_000).toBe(wanted);
    const perHook = new Map(hooks.map((id) => [id, 0]));
    for (const [event, ids] of idsPerEvent(receiver)) {
      expect(ids.size).toBe(1);
      const hook = event.split(' ')[0]!;
      perHook.set(hook, (perHook.get(hook) ?? 0) + 1);
    }
    expect([...new Set(perHook.values())]).toEqual([accepted.length * 2]);
    // no two events have one
    const all = [...idsPerEvent(receiver).values()].flatMap((ids) => [...ids]);
    expect(new Set(all).size).toBe(wanted);
  }, 400_000);
});

/** webhook, message and type → the `webhook-id`s under which that was told */
function idsPerEvent({ requests }: HttpReceiver): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { headers, body } of requests) {
    const { webhook_id, type, data } = JSON.parse(body.toString());
    const event = `${webhook_id} ${data.id} ${type}`;
    ids.set(event, (ids.get(event) ?? new Set()).add(String(headers['webhook-id'])));
  }
  return ids;
}
