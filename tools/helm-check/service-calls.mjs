// The services that each service calls over internal HTTP, read from the sources.
// deploy/helm/postmesh/files/service-calls.yaml must be equal, because the network policies are made from it, and its
// calls form no cycle (decision 109).
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The table of the chart. A bootstrap, or a call for the release before, is made by one file of the service alone; null: by
 * none, pods of the release before make it.
 * @typedef {object} CallTable
 * @property {Record<string, string[]>} calls
 * @property {Record<string, Record<string, string>>} bootstraps
 * @property {Record<string, Record<string, string | null>>} releaseBefore
 */

const CALL = /\bclient\.(?:request|send)\(\s*(?:'([a-z-]+)'|([^\s,)]+))/g;
const isSource = (path) => path.endsWith('.ts') && !/\.spec\.ts$|\.fixture\.ts$|(^|\/)testing\//.test(path);

/** @param {string} folder @returns {{path: string, text: string}[]} each source file */
function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(isSource)
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
}

/**
 * Calls with the name of a service as a literal; a computed name cannot be read here.
 * @param {string} text
 * @returns {{asked: string[], computed: string[]}}
 */
export function callsIn(text) {
  const found = [...text.matchAll(CALL)];
  return {
    asked: found.flatMap(([, literal]) => literal ?? []),
    computed: found.flatMap(([, , name]) =>
      name && !name.startsWith('new ') && name !== 'new' ? [name] : [],
    ),
  };
}

/** The calls of each class of a lib: a service that imports the class makes them. */
function callsOfLibs(root, services) {
  const calls = new Map();
  for (const folder of globSync(['libs/*/src', 'services/*/contract/src'], { cwd: root })) {
    for (const { text } of sourcesIn(join(root, folder))) {
      const asked = callsIn(text).asked.filter((name) => services.includes(name));
      for (const [, name] of asked.length > 0 ? text.matchAll(/export class (\w+)/g) : [])
        calls.set(name, asked);
    }
  }
  return calls;
}

/**
 * @param {string} root of the repository
 * @param {readonly string[]} services names of all services
 * @returns {{calls: Record<string, Record<string, string[]>>, faults: string[]}} by caller and called service the files that call
 */
export function callsInSources(root, services) {
  const ofLibs = callsOfLibs(root, services);
  const faults = [];
  const calls = {};
  for (const service of services) {
    /** @type {Record<string, string[]>} */
    const asked = {};
    const add = (name, path) => {
      if (name !== service && name !== 'gateway' && services.includes(name)) (asked[name] ??= []).push(path);
    };
    // forwards every operation, and asks each service for its operator
    if (service === 'gateway') services.forEach((other) => add(other, 'forward'));
    for (const { path, text } of sourcesIn(join(root, 'services', service, 'src'))) {
      const found = callsIn(text);
      new Set(found.asked).forEach((name) => add(name, path));
      if (service !== 'gateway')
        found.computed.forEach((name) =>
          faults.push(`${service}: a call to ${name} cannot be read; name it`),
        );
      for (const [name, reached] of ofLibs)
        if (new RegExp(`\\b${name}\\b`).test(text)) reached.forEach((one) => add(one, path));
    }
    calls[service] = asked;
  }
  return { calls, faults };
}

/**
 * The calls that the policies let through, those of the release before included.
 * @param {CallTable} table
 * @returns {Record<string, string[]>}
 */
export const allowedByTable = ({ calls, releaseBefore }) =>
  Object.fromEntries(
    Object.entries(calls).map(([service, asked]) => [
      service,
      [...asked, ...Object.keys(releaseBefore[service] ?? {})],
    ]),
  );

/**
 * Compares the table with the sources.
 * @param {CallTable} table
 * @param {Record<string, Record<string, string[]>>} found of `callsInSources`
 * @returns {string[]}
 */
export function tableFaults({ calls, bootstraps, releaseBefore }, found) {
  const faults = [];
  for (const service of new Set([...Object.keys(calls), ...Object.keys(found)])) {
    const made = found[service] ?? {};
    const listed = calls[service] ?? [];
    const before = releaseBefore[service] ?? {};
    for (const name of Object.keys(made))
      if (!listed.includes(name) && !before[name]) faults.push(`${service} asks ${name}: not in the table`);
    for (const name of listed) {
      if (!made[name]) faults.push(`${service} does not ask ${name}: it is in the table`);
      if (name in before)
        faults.push(`${service} asks ${name} in this release: strike it from releaseBefore`);
    }
    for (const [name, file] of Object.entries({ ...bootstraps[service], ...before })) {
      const elsewhere = file === null ? [] : (made[name] ?? []).filter((path) => path !== file);
      if (file !== null && !made[name]?.includes(file))
        faults.push(`${service}: ${file} does not ask ${name}`);
      for (const path of elsewhere) faults.push(`${service}: ${path} asks ${name}, which only ${file} may`);
    }
    for (const name of Object.keys(bootstraps[service] ?? {}))
      if (!listed.includes(name))
        faults.push(`${service}: the bootstrap from ${name} is not among its calls`);
  }
  return faults;
}

/**
 * Finds a path of calls that leads back to its beginning, without bootstraps: they read a copy, and the service starts
 * without.
 * @param {Pick<CallTable, 'calls' | 'bootstraps'>} table
 * @returns {string[] | undefined} services in their order, the first one twice
 */
export function cycleOf({ calls, bootstraps }) {
  const done = new Set();
  /** @param {string} service @param {string[]} way @returns {string[] | undefined} */
  const follow = (service, way) => {
    if (way.includes(service)) return [...way.slice(way.indexOf(service)), service];
    if (done.has(service)) return undefined;
    done.add(service);
    const next = (calls[service] ?? []).filter((name) => !(name in (bootstraps[service] ?? {})));
    for (const name of next) {
      const cycle = follow(name, [...way, service]);
      if (cycle) return cycle;
    }
    return undefined;
  };
  for (const service of Object.keys(calls)) {
    const cycle = follow(service, []);
    if (cycle) return cycle;
  }
  return undefined;
}
