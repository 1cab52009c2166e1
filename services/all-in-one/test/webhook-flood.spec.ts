import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHttpReceiver, type HttpReceiver } from '@postmesh/testing';
import { eventually, ownInstallation, unique } from './contract/harness.js';
import { ok, Sender, type Call } from './contract/sender.js';

// One account caused four and a half million calls, by webhooks from before the limit existed.
const WEBHOOKS = 1_500;
const REQUESTS = 20;
const RECIPIENTS = 50;
const LOOKS = 3;

const postmesh = ownInstallation({});
let receiver: HttpReceiver;
beforeAll(async () => {
  receiver = await startHttpReceiver();
});
afterAll(async () => {
  // without it, the test would wait for hanging calls
  await postmesh.installation.stop('SIGKILL');
  await receiver?.close();
});

interface Figures {
  acceptMs: number[];
  callMs: number[];
  pingMs: number[];
}

/**
 * Sends messages of an account one after another. @returns the times until acceptance, webhook call and ping response
 */
async function watch(sender: Sender, calls: () => Call[]): Promise<Figures> {
  const figures: Figures = { acceptMs: [], callMs: [], pingMs: [] };
  for (let nth = 0; nth < LOOKS; nth += 1) {
    const asked = performance.now();
    ok(await sender.api('GET', '/v2/ping'), 200);
    figures.pingMs.push(Math.round(performance.now() - asked));
    const begun = performance.now();
    const id = await sender.send(`${unique('r')}@mail.test`, { sandbox: true });
    figures.acceptMs.push(Math.round(performance.now() - begun));
    const isCalled = () =>
      calls().some(({ type, data }) => type === 'message.delivered' && data['id'] === id.replaceAll('-', ''));
    await eventually(isCalled, 120_000).toBe(true);
    figures.callMs.push(Math.round(performance.now() - begun));
  }
  return figures;
}

/** For people: no test asserts times. */
function say(what: string, { acceptMs, callMs, pingMs }: Figures): void {
  const figures = `accepted after ${acceptMs.join(', ')} ms, called after ${callMs.join(', ')}, ping ${pingMs.join(', ')}`;
  process.stdout.write(`\n  ${what}: ${figures}\n`);
}

const waiting = async (account: string): Promise<number> => {
  const [row] = await postmesh.sql<{ count: string }>(
    'select count(*) from webhooks.fan_outs where account_id = $1',
    [account],
  );
  return Number(row?.count);
};

it('an account with millions of calls delays no other account, also after a kill', async () => {
  const victim = await Sender.make(postmesh);
  const calls = await victim.webhook(receiver);
  const alone = await watch(victim, calls);
  const flood = await Sender.make(postmesh);
  const sink = await startHttpReceiver();
  const body = { name: 'One of many', url: sink.url, scope: 'global', on_reception: true };
  const { id } = ok(await flood.api('POST', '{A}/webhooks', body), 201);
  await postmesh.sql(
    `insert into webhooks.webhooks
     select (jsonb_populate_record(w, jsonb_build_object('id', gen_random_uuid()))).*
     from webhooks.webhooks w, generate_series(2, ${WEBHOOKS}) where w.id = $1`,
    [id],
  );
  for (let nth = 0; nth < REQUESTS; nth += 1) {
    const to = Array.from({ length: RECIPIENTS }, () => `${unique('r')}@mail.test`);
    ok(await flood.trySend(to, { sandbox: true }), 202);
  }
  await eventually(() => waiting(flood.account.id), 60_000).toBeGreaterThan(0);
  const during = await watch(victim, calls);
  await postmesh.installation.stop('SIGKILL');
  await postmesh.start({});
  const killed = await watch(victim, calls);
  say('another account alone', alone);
  say('during the flood', during);
  say('during the flood, after kill -9', killed);
  // the flood is far from its end, and its calls continue
  const left = await waiting(flood.account.id);
  expect(left).toBeGreaterThan((REQUESTS * RECIPIENTS) / 2);
  await eventually(() => waiting(flood.account.id), 60_000).toBeLessThan(left);
  await sink.close();
}, 600_000);
