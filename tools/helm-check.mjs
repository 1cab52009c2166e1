#!/usr/bin/env node
// The chart deploy/helm/postmesh without a cluster: Helm's own lint and rendering over a table of values, each manifest
// decoded strictly as its published API type, the references between manifests, and values that must be refused.
//   node tools/helm-check.mjs [--show "the least"]     prints what one case renders
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse, stringify } from 'yaml';
import { INNER_SERVICES, SERVICES } from '../libs/contracts/dist/index.js';
import { CATALOGUE, loadSettings } from '../libs/settings/dist/index.js';
import { BAD, GOOD, NEEDS } from './helm-check/cases.table.mjs';
import { buildChecker } from './helm-check/go.mjs';
import { allowedCalls, manifestFaults } from './helm-check/manifests.mjs';
import { allowedByTable } from './helm-check/service-calls.mjs';

const { values: options } = parseArgs({ options: { show: { type: 'string' } } });
const chart = join(import.meta.dirname, '..', 'deploy/helm/postmesh');
const calls = allowedByTable(parse(readFileSync(join(chart, 'files/service-calls.yaml'), 'utf8')));

/** @type {Parameters<typeof manifestFaults>[1]} */
const known = {
  services: SERVICES,
  settings: new Map(Object.values(CATALOGUE).map((setting) => [setting.env, setting])),
  accept: (environment) => {
    const settings = loadSettings(environment);
    if (environment.SERVICE !== undefined && settings.localInternet) throw new Error('mail would not leave');
  },
  calls,
};

let program;
try {
  program = buildChecker();
} catch (error) {
  console.error(`!!! the Helm chart was NOT checked: ${error.message}`);
  process.exit(process.env.CI === 'true' ? 1 : 0);
}

const good = GOOD.filter(({ name, needs }) => {
  const isThere = needs === undefined || existsSync(join(chart, NEEDS[needs]));
  if (!isThere) console.warn(`left out: ${name}, there is no ${NEEDS[needs]}`);
  return isThere;
});
const faults = [...checkGood(render(good)), ...checkBad(render(BAD))];
faults.forEach((fault) => console.error(fault));
console.log(
  `Helm chart: ${good.length} sets of values, ${BAD.length} that are refused, ${faults.length} faults`,
);
process.exitCode = faults.length === 0 ? 0 : 1;

/** @returns {any[]} the output of main.go for each case, in order */
function render(cases) {
  const input = JSON.stringify(cases.map(({ name, values }) => ({ name, values })));
  const done = spawnSync(program, [chart], { input, encoding: 'utf8', timeout: 300_000, maxBuffer: 2 ** 28 });
  if (done.status !== 0)
    throw new Error(`the chart could not be rendered: ${done.error?.message ?? done.stderr}`);
  return JSON.parse(done.stdout);
}

function checkGood(results) {
  return results.flatMap(({ error, lint, undecodable, manifests }, index) => {
    const { name, kinds = {}, images } = good[index];
    if (options.show === name) console.log(manifests.map((one) => stringify(one)).join('---\n'));
    if (error) return [`${name}: ${error}`];
    const counts = Object.entries(kinds).flatMap(([kind, wanted]) => {
      const found = manifests.filter((one) => one.kind === kind).length;
      return found === wanted ? [] : [`${found} of ${kind}, should be ${wanted}`];
    });
    const found = [
      ...lint,
      ...undecodable,
      ...counts,
      ...(images ? wrongImages(manifests, images) : []),
      ...manifestFaults(manifests, known),
      ...wrongCalls(manifests),
    ];
    return found.map((fault) => `${name}: ${fault}`);
  });
}

/** @param {any[]} manifests @param {Record<string, number>} wanted how many containers have each image */
function wrongImages(manifests, wanted) {
  const used = manifests
    .flatMap(({ spec }) => spec?.template?.spec?.containers ?? [])
    .map(({ image }) => String(image));
  return [...new Set([...used, ...Object.keys(wanted)])].flatMap((image) => {
    const found = used.filter((each) => each === image).length;
    return found === (wanted[image] ?? 0) ? [] : [`${found} of ${image}, should be ${wanted[image] ?? 0}`];
  });
}

/** The policies allow exactly the calls between services. */
function wrongCalls(manifests) {
  if (!manifests.some(({ kind }) => kind === 'NetworkPolicy')) return [];
  const allowed = allowedCalls(manifests, SERVICES);
  return SERVICES.flatMap((from) =>
    INNER_SERVICES.filter((to) => to !== from && allowed[from].includes(to) !== calls[from].includes(to)).map(
      (to) => `${from} ${allowed[from].includes(to) ? 'may' : 'may not'} reach ${to}`,
    ),
  );
}

function checkBad(results) {
  return results.flatMap(({ error }, index) => {
    const { name, error: pattern } = BAD[index];
    if (!error) return [`${name}: was not refused`];
    return pattern.test(error) ? [] : [`${name}: refused with another error than ${pattern}: ${error}`];
  });
}
