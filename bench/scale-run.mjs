// @ts-check
// (o) Scaling of delivery with its workers: processes of their own on Kafka, and a mail host that takes 200 ms for its
// reply, so that permits are the limit of a worker and not the CPU.
import { Book } from '../tools/ledger/book.mjs';
import { startSink } from '../tools/ledger/outside.mjs';
import { Client } from '../tools/ledger/system.mjs';
import { ratio, round } from './figures.rules.mjs';
import { waitUntil } from '../tools/processes.mjs';

const WORKERS = [1, 2, 4];
const REPLY_MS = 200;
/** Permits of each worker: 50 messages a second at most. */
const PLACES = 10;
const DOMAIN = 'scale.test';
const RECIPIENTS = 10;
const LIMIT_MS = 300_000;

/** Arrival times of the messages, ms. */
class Arrivals extends Book {
  /** @type {number[]} */
  times = [];

  /** @override */
  arrived() {
    this.times.push(performance.now());
  }
}

/** @param {import('./options.mjs').Context} context @returns {Promise<Record<string, any>>} figures */
export async function measureScale({ options }) {
  // built by now
  const { startDistributed } = await import('../tools/ledger/distributed.mjs');
  const arrivals = new Arrivals();
  const sink = await startSink(arrivals, { replyMs: REPLY_MS });
  const system = await startDistributed({ sinkPort: sink.port, isBalanced: true });
  try {
    const { fleet } = system;
    if (!fleet) throw new Error('the distributed mode has no processes');
    const client = new Client(system);
    await client.must(201, 'POST', '/domains', { domain: DOMAIN });
    await client.must(200, 'POST', `/domains/${DOMAIN}/check-dns`);
    const others = fleet.processesOf('delivery-worker');
    const runs = [];
    for (const workers of WORKERS) {
      while (fleet.processesOf('delivery-worker').length < workers + others.length) {
        const settings = { POSTMESH_DELIVERY_CONCURRENCY: String(PLACES) };
        await fleet.start(fleet.nameOf('delivery-worker'), 'delivery-worker', settings);
      }
      for (const name of others.splice(0)) await fleet.kill(name, 'SIGTERM');
      runs.push(await measure({ client, arrivals, workers, messages: options.scaleMessages * workers }));
    }
    const [one] = runs;
    const of = (run) => ratio(run.messages_per_second, (one?.messages_per_second ?? 0) * run.workers);
    return {
      name: `delivery workers with ${PLACES} places each, a mail host that takes ${REPLY_MS} ms`,
      runs: runs.map((run) => ({ ...run, of_linear: of(run) })),
    };
  } finally {
    await system.stop();
    await sink.stop();
  }
}

/** @param {{ client: Client, arrivals: Arrivals, workers: number, messages: number }} about */
async function measure({ client, arrivals, workers, messages }) {
  arrivals.times = [];
  const requests = Math.ceil(messages / RECIPIENTS);
  const total = requests * RECIPIENTS;
  for (let nth = 0; nth < requests; nth += 1) {
    const to = Array.from({ length: RECIPIENTS }, (_, at) => ({
      email: `r${workers}-${nth}-${at}@mail.test`,
    }));
    const body = { from: { email: `news@${DOMAIN}` }, to, subject: 'Scale', text_content: 'Hello' };
    await client.must(202, 'POST', '/messages/conversation', body);
  }
  const all = await waitUntil(() => arrivals.times.length >= total, { limitMs: LIMIT_MS, everyMs: 50 });
  if (!all) throw new Error(`${arrivals.times.length} of ${total} messages arrived`);
  // without the beginning and the end of the run
  const [from, to] = [Math.floor(total * 0.1), Math.floor(total * 0.9)];
  const seconds = ((arrivals.times[to] ?? 0) - (arrivals.times[from] ?? 0)) / 1_000;
  return { workers, messages: total, messages_per_second: round((to - from) / seconds, 1) };
}
