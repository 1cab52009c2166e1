#!/usr/bin/env node
// Measures one driver of the event bus: node libs/events/bench/measure.mjs embedded <postgres url>
//                                        node libs/events/bench/measure.mjs kafka <broker,broker>
// Build first (npx tsc -b libs/events). Prints one JSON line; the schema or topics it makes stay behind.
import { newId } from '@postmesh/contracts';
import { createEmbeddedBus, createKafkaBus } from '../dist/index.js';

const [driver, address] = process.argv.slice(2);
const TOTAL = 100_000;
const BATCH = 500;
const SINGLES = 300;

function fact(n) {
  return {
    id: newId(),
    type: 'message-accepted',
    version: 1,
    occurred_at: new Date().toISOString(),
    stream: 'messages',
    key: `key-${n % 997}`,
    account_id: newId(),
    trace: null,
    data: { n, text: 'x'.repeat(400) },
  };
}

const prefix = `measure-${newId()}.`;
const open = {
  embedded: () => createEmbeddedBus({ url: address }),
  kafka: () => createKafkaBus({ brokers: address.split(','), clientId: 'measure', prefix }),
}[driver];
if (!open || !address) {
  process.stderr.write('usage: node measure.mjs embedded|kafka <address>\n');
  process.exit(2);
}

/** @returns events per second and the share of one core that this process used */
async function timed(work) {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await work();
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    events_per_s: Math.round(TOTAL / seconds),
    cpu: Number(((user + system) / 1e6 / seconds).toFixed(2)),
  };
}

async function publishAll(bus) {
  for (let n = 0; n < TOTAL; n += BATCH) {
    await bus.publish(Array.from({ length: BATCH }, (_, at) => fact(n + at)));
  }
}

/** A new group begins at the earliest event: what was published before is counted in. */
async function consume(bus, count) {
  let left = count;
  let finish;
  const finished = new Promise((resolve) => {
    finish = resolve;
  });
  const handle = async (events) => {
    left -= events.length;
    if (left <= 0) finish();
  };
  const subscription = await bus.subscribe({ group: `group-${newId()}`, streams: ['messages'], handle });
  await finished;
  await subscription.stop();
}

async function latencies(publisher, reader) {
  let arrived;
  const handle = async () => arrived();
  const warm = new Promise((resolve) => {
    arrived = resolve;
  });
  // A group that has caught up: it reads the backlog first.
  await reader.subscribe({ group: 'latency', streams: ['domains'], handle });
  await publisher.publish([{ ...fact(0), stream: 'domains' }]);
  await warm;
  const took = [];
  for (let n = 0; n < SINGLES; n++) {
    const arrival = new Promise((resolve) => {
      arrived = resolve;
    });
    const begun = performance.now();
    await publisher.publish([{ ...fact(n), stream: 'domains' }]);
    await arrival;
    took.push(performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  took.sort((a, b) => a - b);
  const at = (share) => Number(took[Math.floor(took.length * share)].toFixed(2));
  return { p50_ms: at(0.5), p99_ms: at(0.99) };
}

const [publisher, reader] = [await open(), await open()];
const latency = await latencies(publisher, reader);
const result = {
  publish: await timed(() => publishAll(publisher)),
  consume: await timed(() => consume(publisher, TOTAL)),
  // events of both rounds are consumed: the rate is that of publishing them once and reading them twice
  publish_while_consuming_twice: await timed(() =>
    Promise.all([publishAll(publisher), consume(reader, 2 * TOTAL)]),
  ),
};
process.stdout.write(`${JSON.stringify({ driver, batch: BATCH, ...result, latency })}\n`);
await publisher.close();
await reader.close();
