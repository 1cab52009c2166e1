// @ts-check
// The figures that a graph is drawn from: one file per release, docs/bench/<version>.json (docs/bench/README.md).
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { figuresOf } from './kept-figures.rules.mjs';

/**
 * Adds the figures of a run; those of the same name and system are replaced.
 * @param {import('./report.mjs').Report & Record<string, any>} report @param {string} root of the checkout
 * @returns {string} the file
 */
export function keepFigures(report, root) {
  const folder = join(root, 'docs', 'bench');
  const file = join(folder, `${report.versions.postmesh}.json`);
  /** @type {import('./kept-figures.rules.mjs').Figure[]} */
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).figures : [];
  const figures = figuresOf(report);
  const replaced = new Set(figures.map(keyOf));
  const all = [...before.filter((one) => !replaced.has(keyOf(one))), ...figures];
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify({ release: report.versions.postmesh, figures: all }, null, 2)}\n`);
  return file;
}

const keyOf = ({ figure, system }) => `${figure}\n${system}`;
