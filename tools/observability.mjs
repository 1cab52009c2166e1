// @ts-check
// References of alert rules and the Grafana board: metrics, and sections of the documentation.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BOARD } from '../deploy/observability/board.mjs';
import { textFiles } from './text-files.mjs';

const ALERTS = 'deploy/helm/postmesh/files/alerts.yml';
const METRIC = /\bpostmesh_[a-z0-9_]+/g;
/** A metric with the braces after it, in queries and in documents. */
const WITH_LABELS = /\b(postmesh_[a-z0-9_]+)\{([^}]*)\}/g;
const PARTS_OF_A_HISTOGRAM = /_(?:bucket|sum|count)$/;
/** A role of PostgreSQL. */
const NO_METRICS = new Set(['postmesh_blobs']);
/** Labels of every target: from Prometheus, and from the delivered configurations. */
const LABELS_OF_TARGETS = ['instance', 'job', 'service_name'];

/** @param {string} name */
const ownName = (name) => name.replace(PARTS_OF_A_HISTOGRAM, '');

/** @param {string} query @returns {string[]} our metrics in it; a histogram by its own name */
export const metricsOf = (query) =>
  (query.match(METRIC) ?? []).map(ownName).filter((name) => !NO_METRICS.has(name));

/**
 * @param {string} text queries or prose
 * @param {ReadonlyMap<string, ReadonlySet<string>>} registered of `metricsInCode`
 * @returns {string[]} one line per metric that no source registers, and per label that a metric does not have
 */
export function metricFaults(text, registered) {
  const unknown = metricsOf(text).filter((name) => !registered.has(name));
  const labels = [...text.matchAll(WITH_LABELS)].flatMap(([, name = '', braces = '']) => {
    const known = registered.get(ownName(name));
    const named = braces.replaceAll(/\\?"[^"]*"/g, '').match(/[a-z_]\w*/g) ?? [];
    const other = named.filter((label) => known && !known.has(label) && !LABELS_OF_TARGETS.includes(label));
    return other.map((label) => `${name} has no label ${label}`);
  });
  return [...new Set([...unknown.map((name) => `no source registers the metric ${name}`), ...labels])];
}

/** @returns {{ panel: string, query: string }[]} */
export const boardQueries = () =>
  BOARD.flatMap(({ title: row, panels }) =>
    panels.flatMap(({ title, lines }) => lines.map(([, query]) => ({ panel: `${row}, ${title}`, query }))),
  );

/** @param {string} root @returns {{ name: string, text: string, runbook: string | undefined }[]} each rule with its text in the
 *   file, and its page below docs/ */
export function alertRules(root) {
  const [, ...rules] = readFileSync(join(root, ALERTS), 'utf8').split(/^ *- alert: /m);
  return rules.map((text) => ({
    name: text.slice(0, text.indexOf('\n')).trim(),
    text,
    runbook: /^ *runbook_url: '.*\/console\/docs\/(\S+)'$/m.exec(text)?.[1],
  }));
}

/** `metrics.counter('postmesh_…', 'help', ['label'])`, in one line or several. */
const REGISTERED = /\.(?:counter|gauge|histogram)\(\s*'(postmesh_\w+)',\s*['`][^'`]*['`],?\s*(\[[^\]]*\])?/g;
/** One of a list of gauges of a dependency, or of accounts: `{ name: 'postmesh_…', help: …, labelNames: […] }` */
const DESCRIBED = /\bname: '(postmesh_\w+)',\s*help: [^\n]*\s*(?:labelNames: (\[[^\]]*\])|label: ('\w+'))?/g;
/** Gauges of a dependency have the label of the service; those of accounts the account's id. */
const OF_DESCRIBED = ['service', 'account_id'];

/** @param {string} root @returns {Map<string, Set<string>>} metrics of services and libraries: labels by metric */
export function metricsInCode(root) {
  /** @type {Map<string, Set<string>>} */
  const found = new Map();
  const sources = textFiles(root).filter(
    (path) => /^(?:libs|services)\/[\w-]+\/src\/.*\.ts$/.test(path) && !path.endsWith('.spec.ts'),
  );
  for (const path of sources) {
    const text = readFileSync(join(root, path), 'utf8');
    const add = (/** @type {string} */ name, /** @type {string} */ labels) =>
      found.set(name, new Set([...(found.get(name) ?? []), ...(labels.match(/\w+/g) ?? [])]));
    for (const [, name = '', labels = ''] of text.matchAll(REGISTERED)) add(name, labels);
    for (const [, name = '', several = '', one = ''] of text.matchAll(DESCRIBED))
      add(name, [several, one, ...OF_DESCRIBED].join(' '));
  }
  return found;
}
