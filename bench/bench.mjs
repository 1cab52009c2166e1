#!/usr/bin/env node
// @ts-check
// npm run bench: figures of Postmesh on this machine, with Postfix as reference. It prints figures and asserts none;
// the exit code is 0 when every wanted part ran.
import { writeFileSync } from 'node:fs';
import { ACCEPT_RUNS, measureAccept } from './accept-run.mjs';
import { measureAuth } from './auth-run.mjs';
import { measureClaims } from './claims-run.mjs';
import { measureCampaigns } from './campaigns-run.mjs';
import { measureContacts } from './contacts-run.mjs';
import { measureDelivery, measureRelay } from './deliver-run.mjs';
import { measureFair, measureFairCampaign } from './fair-run.mjs';
import { measureIdle } from './idle-run.mjs';
import { keepFigures } from './kept-figures.mjs';
import { measureLarge } from './large-run.mjs';
import { HELP, readOptions } from './options.mjs';
import { measureReference, REFERENCES, referenceVersions, whyNotMeasured } from './postfix.mjs';
import { makeFolder, removeFolder } from '../tools/processes.mjs';
import { measureScale } from './scale-run.mjs';
import { measureSearch } from './search-run.mjs';
import { measureSends, SENDS } from './sends-run.mjs';
import { measureSpeed } from './speed-run.mjs';
import { measureSubmit } from './submit-run.mjs';
import { measureLists } from './list-run.mjs';
import { measureWebhooks } from './webhooks-run.mjs';
import { measureStatistics } from './statistics-run.mjs';
import {
  machineFacts,
  machinePace,
  progress,
  ratiosOf,
  renderReport,
  secondsSince,
  versionFacts,
} from './report.mjs';
import { prepare, root } from '../tools/prepare.mjs';

const options = optionsOrExit();
await prepare();
/** @type {import('./report.mjs').Report & Record<string, unknown>} */
const report = {
  at: new Date().toISOString(),
  ...facts(),
  parameters: options,
  accept: [],
  relay: {},
  sends: [],
  ratios: {},
  skipped: [],
  failures: [],
};
/** @type {import('./options.mjs').Context} */
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
if (options.only.includes('statistics')) {
  report.statistics = await attempt('statistics', () => measureStatistics(context));
}
if (options.only.includes('large')) report.large = await attempt('large', () => measureLarge(context));
for (const part of /** @type {(keyof typeof SENDS)[]} */ (Object.keys(SENDS))) {
  if (!options.only.includes(part)) continue;
  const figures = await attempt(part, () => measureSends(part, context));
  if (figures) report.sends.push(figures);
}
if (options.only.includes('list')) report.list = await attempt('list', () => measureLists(context));
if (options.only.includes('search')) report.search = await attempt('search', () => measureSearch(context));
if (options.only.includes('claims')) report.claims = await attempt('claims', () => measureClaims(context));
if (options.only.includes('fair')) report.fair = await attempt('fair', () => measureFair(context));
if (options.only.includes('fair-campaign')) {
  report.fairCampaign = await attempt('fair-campaign', () => measureFairCampaign(context));
}
if (options.only.includes('webhooks')) {
  report.webhooks = await attempt('webhooks', () => measureWebhooks(context));
}

if (options.only.includes('submit')) report.submit = await attempt('submit', () => measureSubmit(context));

if (options.only.includes('contacts')) {
  report.contacts = await attempt('contacts', () => measureContacts(context));
}
if (options.only.includes('campaigns')) {
  report.campaigns = await attempt('campaigns', () => measureCampaigns(context));
}
if (options.only.includes('scale')) report.scale = await attempt('scale', () => measureScale(context));
if (options.only.includes('speed')) report.speed = await attempt('speed', () => measureSpeed(context));

if (options.only.includes('idle')) report.idle = await attempt('idle', () => measureIdle(context));

report.ratios = ratiosOf(report);
if (options.json) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
if (options.keep) progress(`figures kept in ${keepFigures(report, root)}`);
console.log(`\n${renderReport(report)}`);
process.exit(report.failures.length > 0 ? 1 : 0);

async function compareWithPostfix() {
  Object.assign(report.versions, referenceVersions());
  await relay('postmesh', 'Postmesh, burst', () => measureRelay(context));
  for (const [key, reference] of Object.entries(REFERENCES)) {
    const reason = whyNotMeasured(reference);
    if (reason) report.skipped.push({ part: reference.name, reason });
    else await relay(key, reference.name, () => measureReference(reference, context));
  }
}

async function relay(key, name, measure) {
  const figures = await attempt(name, measure);
  if (figures) report.relay[key] = figures;
}

/**
 * A failed run does not stop the others.
 * @param {string} part @param {() => Promise<Record<string, any>>} measure
 */
async function attempt(part, measure) {
  const start = Date.now();
  progress(`${part} …`);
  try {
    const pace = machinePace();
    const figures = { ...(await measure()), machine: pace };
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
