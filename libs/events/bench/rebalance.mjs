#!/usr/bin/env node
// Measures what events wait for while members of a group come and go: node libs/events/bench/rebalance.mjs <broker,broker>
// Build first (npx tsc -b libs/events). Prints one JSON line per step; the topics that it makes stay behind.
import { newId } from '@postmesh/contracts';
import { createKafkaBus } from '../dist/index.js';

const [brokers] = process.argv.slice(2);
if (!brokers) {
  process.stderr.write('usage: node rebalance.mjs <broker,broker>\n');
  process.exit(2);
}
const KEYS = 60;
const EVERY_MS = 50;
const HANDLING_MS = 25;
const STEP_MS = 8_000;

const prefix = `rebalance-${newId()}.`;
const connect = () => createKafkaBus({ brokers: brokers.split(','), clientId: 'rebalance', prefix });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** From the publishing of an event until its handling began, ms, since the last step. @type {number[]} */
let waits = [];
const handle = async (events) => {
  const now = Date.now();
  for (const { text } of events) waits.push(now - Date.parse(JSON.parse(text).occurred_at));
  await sleep(HANDLING_MS);
};

const publisher = await connect();
let over = false;
const publishing = (async () => {
  while (!over) {
    const occurred_at = new Date().toISOString();
    await publisher.publish(
      Array.from({ length: KEYS }, (_, nth) => ({
        ...{ id: newId(), type: 'message-accepted', version: 1, occurred_at, stream: 'messages' },
        ...{ key: `key-${nth}`, account_id: newId(), trace: null, data: {} },
      })),
    );
    await sleep(EVERY_MS);
  }
})();

const buses = [];
const members = [];
const join = async () => {
  const bus = await connect();
  buses.push(bus);
  members.push(await bus.subscribe({ group: 'readers', streams: ['messages'], handle }));
};
const leave = () => members.shift().stop();
/** @type {[string, () => Promise<unknown>][]} */
const steps = [
  ['one member', join],
  ['a second joins', join],
  ['a third joins', join],
  ['a fourth joins', join],
  ['nothing happens', async () => undefined],
  ['one leaves', leave],
  ['another leaves', leave],
  ['the last but one leaves', leave],
];
for (const [step, run] of steps) {
  waits = [];
  await run();
  await sleep(STEP_MS);
  const sorted = waits.sort((a, b) => a - b);
  const at = (share) => sorted[Math.floor((sorted.length - 1) * share)];
  process.stdout.write(
    `${JSON.stringify({ step, events: sorted.length, median_ms: at(0.5), longest_ms: at(1) })}\n`,
  );
}
over = true;
await publishing;
await Promise.all([...buses, publisher].map((bus) => bus.close()));
