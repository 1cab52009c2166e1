#!/usr/bin/env node
// npm run bench: what this machine makes of Postmesh, and of Postfix beside it. Says figures, asserts none; the
// exit code tells whether everything that should run did.
import { writeFileSync } from 'node:fs';
import { ACCEPT_RUNS, measureAccept } from './bench/accept-run.mjs';
import { measureAuth } from './bench/auth-run.mjs';
import { makeFolder, removeFolder } from './bench/children.mjs';
import { measureDelivery } from './bench/deliver-run.mjs';
import { firstLine, machineFacts, versionFacts } from './bench/machine.mjs';
import { whyNoSigner } from './bench/opendkim.mjs';
import { HELP, readOptions } from './bench/options.mjs';
import { postfixVersion, whereIs, whyNoPostfix } from './bench/postfix-instance.mjs';
import { measurePostfix } from './bench/postfix-run.mjs';
import { measureRelay } from './bench/relay-run.mjs';
import { progress, ratiosOf, renderReport, secondsSince } from './bench/report.mjs';
import { prepare, root } from './prepare.mjs';

const options = optionsOrExit();
await prepare();
const report = {
  at: new Date().toISOString(),
  ...facts(),
  parameters: options,
  accept: [],
  relay: {},
  skipped: [],
  failures: [],
};
const context = { options, note: (found) => Object.assign(report.versions, found) };

if (options.only.includes('accept')) {
  for (const run of ACCEPT_RUNS) {
    const figures = await attempt(run.name, () => measureAccept(run, context));
    if (figures) report.accept.push(figures);
  }
}
if (options.only.includes('deliver'))
  report.deliver = await attempt('deliver', () => measureDelivery(context));
if (options.only.includes('postfix')) await compareWithPostfix();
if (options.only.includes('auth')) report.auth = await attempt('auth', () => measureAuth(context));

report.ratios = ratiosOf(report);
if (options.json) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
console.log(`\n${renderReport(report)}`);
process.exit(report.failures.length > 0 ? 1 : 0);

async function compareWithPostfix() {
  const reason = whyNoPostfix();
  if (reason) {
    report.skipped.push({ part: 'Postfix', reason });
    return;
  }
  Object.assign(report.versions, { postfix: postfixVersion(), opendkim: opendkimVersion() });
  await relay('postmesh', 'Postmesh, burst', () => measureRelay(context));
  await relay('unsigned', 'Postfix, unsigned', () => measurePostfix({ signed: false }, context));
  const unsigned = whyNoSigner();
  if (unsigned) report.skipped.push({ part: 'Postfix, signed', reason: unsigned });
  else await relay('signed', 'Postfix, signed', () => measurePostfix({ signed: true }, context));
}

async function relay(key, name, measure) {
  const figures = await attempt(name, measure);
  if (figures) report.relay[key] = figures;
}

/** One run that fails leaves the others their turn. */
async function attempt(part, measure) {
  const start = Date.now();
  progress(`${part} …`);
  try {
    const figures = await measure();
    progress(`${part}: done after ${secondsSince(start)} s`);
    return figures;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    progress(`${part}: FAILED: ${reason}`);
    report.failures.push({ part, reason });
    return undefined;
  }
}

function facts() {
  const folder = makeFolder('probe');
  const machine = machineFacts(folder);
  removeFolder(folder);
  return { machine, versions: versionFacts(root) };
}

function opendkimVersion() {
  const program = whereIs('opendkim');
  return program === undefined ? null : (/v([\d.]+)/.exec(firstLine(program, ['-V']))?.[1] ?? null);
}

function optionsOrExit() {
  try {
    const read = readOptions(process.argv.slice(2));
    if (!read.help) return read;
    console.log(HELP);
    process.exit(0);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    process.exit(2);
  }
}
