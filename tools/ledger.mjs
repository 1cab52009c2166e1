#!/usr/bin/env node
// @ts-check
// npm run ledger: accounts for everything that was accepted while parts of the system are killed (docs/reliability.md).
import { writeFileSync } from 'node:fs';
import { HELP, readOptions } from './ledger/options.mjs';
import { renderLedger, renderRestore } from './ledger/report.mjs';
import { prepare } from './prepare.mjs';

const options = optionsOrExit();
await prepare();
if (options.faults.includes('net')) await enterOwnNetwork();
// built by then
const { runLedger } = await import('./ledger/run.mjs');
/** @type {Record<string, unknown>} */
const results = { at: new Date().toISOString(), seed: options.seed, sizes: options.sizes };
let broken = false;
if (options.restore) {
  const { runRestoreDrill } = await import('./ledger/restore-drill.mjs');
  const say = (/** @type {string} */ line) => console.error(`  ${line}`);
  const { verdict } = await runRestoreDrill({ rate: options.sizes.rate, say });
  console.log(`\n${renderRestore(verdict)}`);
  results.restore = verdict;
  broken = !verdict.isKept;
}
for (const mode of options.restore ? [] : options.modes) {
  const { seconds, seed, sizes, roll, replyMs, accepting, relays, faults, log: logFile } = options;
  const say = (/** @type {string} */ line) => console.error(`  ${line}`);
  const { book, verdict } = await runLedger({
    mode,
    seconds,
    seed,
    sizes,
    kills: options.kills[mode],
    roll,
    replyMs,
    accepting,
    relays,
    faults,
    logFile,
    say,
  });
  console.log(`\n${renderLedger(mode, book, verdict)}`);
  results[mode] = { ...verdict, kills: book.kills, stops: book.stops, failedTries: book.failedTries.length };
  broken ||= !verdict.isKept;
}
if (!options.restore) console.log(`\nseed ${options.seed}`);
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
process.exit(broken ? 1 : 0);

/** Programs and jars are installed before it: the namespace reaches no other machine. */
async function enterOwnNetwork() {
  const { inOwnNetwork } = await import('./ledger/lying-network.mjs');
  const { fetchKafka } = await import('./real/kafka.mjs');
  const { needRedis } = await import('./real/redis.mjs');
  fetchKafka();
  needRedis();
  const code = inOwnNetwork();
  if (code !== undefined) process.exit(code);
}

function optionsOrExit() {
  try {
    const read = readOptions(process.argv.slice(2));
    if (!read.help) return read;
    console.log(HELP);
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
  process.exit(0);
}
