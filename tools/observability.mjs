// @ts-check
// What alert rules and the Grafana board name: metrics, and sections of the documentation.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BOARD } from '../deploy/observability/board.mjs';
import { textFiles } from './text-files.mjs';

export const ALERTS = 'deploy/helm/postmesh/files/alerts.yml';
const METRIC = /\bpostmesh_[a-z0-9_]+/g;
const PARTS_OF_A_HISTOGRAM = /_(?:bucket|sum|count)$/;

/** @param {string} query @returns {string[]} our metrics in it; a histogram by its own name */
export const metricsOf = (query) =>
  (query.match(METRIC) ?? []).map((name) => name.replace(PARTS_OF_A_HISTOGRAM, ''));

/** @returns {{ panel: string, query: string }[]} */
export const boardQueries = () =>
  BOARD.flatMap(({ title: row, panels }) =>
    panels.flatMap(({ title, lines }) => lines.map(([, query]) => ({ panel: `${row}, ${title}`, query }))),
  );

/** @param {string} root @returns {{ name: string, text: string, runbook: string | undefined }[]} each rule as it stands in the file */
export function alertRules(root) {
  const [, ...rules] = readFileSync(join(root, ALERTS), 'utf8').split(/^ *- alert: /m);
  return rules.map((text) => ({
    name: text.slice(0, text.indexOf('\n')).trim(),
    text,
    runbook: /^ *runbook: (\S+)$/m.exec(text)?.[1],
  }));
}

/** @param {string} root @returns {Set<string>} what services and libraries expose, as their code names it */
export function metricsInCode(root) {
  const names = new Set();
  for (const path of textFiles(root)) {
    if (!/^(?:libs|services)\/[\w-]+\/src\/.*\.ts$/.test(path) || path.endsWith('.spec.ts')) continue;
    for (const [, name] of readFileSync(join(root, path), 'utf8').matchAll(/'(postmesh_[a-z0-9_]+)'/g))
      names.add(name);
  }
  return names;
}
