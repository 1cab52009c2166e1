// @ts-check
// The manifests of the chart for some values, by the program that checks it (tools/helm-check).
import { spawnSync } from 'node:child_process';
import { buildChecker } from '../helm-check/go.mjs';

const RENDER_MS = 300_000;
const MOST_OUTPUT = 2 ** 28;

/** @param {string} chart its folder @param {any[]} values several sets @returns {any[][]} manifests of each. @throws Error when one is refused */
export function renderChart(chart, values) {
  const input = JSON.stringify(values.map((each, nth) => ({ name: String(nth), values: each })));
  const limits = { timeout: RENDER_MS, maxBuffer: MOST_OUTPUT };
  const done = spawnSync(buildChecker(), [chart], { input, encoding: 'utf8', ...limits });
  if (done.status !== 0)
    throw new Error(`the chart could not be rendered: ${done.error?.message ?? done.stderr}`);
  return JSON.parse(done.stdout).map((/** @type {any} */ { error, manifests }) => {
    if (error) throw new Error(error);
    return manifests;
  });
}
