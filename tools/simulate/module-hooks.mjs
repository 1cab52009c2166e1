// @ts-check
// What is loaded instead: the operating system that a worker asks about processes, and sessions outside of its pool, are
// simulated, bounds are smaller, and a mutation replaces lines of one module. No file is changed.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { SMALLER } from './smaller.table.mjs';

const REPLACED = /** @type {const} */ ([
  ['/libs/concurrency/dist/process-identity.js', './simulated-system.mjs'],
  ['/libs/database/dist/timed-client.js', './simulated-clients.mjs'],
]).map(([file, ours]) => ({ file, ours: new URL(ours, import.meta.url).href }));
/** Imports of these modules, by the name that they use. */
const REPLACED_IMPORTS = /** @type {const} */ ([
  ['/libs/events/dist/embedded/announcements.js', 'pg', './simulated-imports.mjs'],
  ['/libs/events/dist/embedded/announcements.js', 'node:worker_threads', './simulated-imports.mjs'],
  ['/libs/events/dist/kafka/topics.js', 'node:timers/promises', './simulated-imports.mjs'],
  ['/libs/events/dist/kafka/kafka-client.js', 'kafkajs', './log/scripted-kafka.mjs'],
  ['/libs/events/dist/kafka/kafka-bus.js', 'kafkajs', './log/scripted-kafka.mjs'],
]).map(([from, name, ours]) => ({ from, name, ours: new URL(ours, import.meta.url).href }));

/**
 * @typedef {object} Mutation
 * @property {string} name
 * @property {number} decision number of the record that the fault is about
 * @property {string} fault the fault that is put back
 * @property {string} file of the build, below the root
 * @property {string} [survives] why it is not found
 * @property {readonly (readonly [from: string, to: string])[]} changes each text is in the file once
 */

/** @param {Mutation} [mutation] */
export function installHooks(mutation) {
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const replaced =
        REPLACED.find(({ file }) => resolved.url.endsWith(file)) ??
        REPLACED_IMPORTS.find(({ from, name }) => name === specifier && context.parentURL?.endsWith(from));
      return replaced ? { ...resolved, url: replaced.ours } : resolved;
    },
    load(url, context, next) {
      const changed = [...SMALLER, ...(mutation ? [mutation] : [])].filter(({ file }) =>
        url.endsWith(`/${file}`),
      );
      if (changed.length === 0) return next(url, context);
      const source = changed.reduce(mutated, readFileSync(fileURLToPath(url), 'utf8'));
      return { format: 'module', shortCircuit: true, source };
    },
  });
}

/** @param {string} source @param {Pick<Mutation, 'file' | 'changes'>} mutation */
export function mutated(source, { file, changes }) {
  return changes.reduce((text, [from, to]) => {
    if (text.split(from).length !== 2) throw new Error(`${file}: not there once: ${from}`);
    return text.replace(from, () => to);
  }, source);
}
