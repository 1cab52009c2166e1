// Calls between services over internal HTTP, read from the sources: deploy/helm/postmesh/files/service-calls.yaml must
// be equal, since network policies are made from it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const CALL = /\bclient\.(?:request|send)\(\s*(?:'([a-z-]+)'|([^\s,)]+))/g;
const isSource = (path) => path.endsWith('.ts') && !/\.spec\.ts$|\.fixture\.ts$|(^|\/)testing\//.test(path);

/** @param {string} folder @returns {string[]} text of each source file */
function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(isSource)
    .map((path) => readFileSync(join(folder, path), 'utf8'));
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

/** Calls by class, of all classes of libs: a service that imports the class makes them. */
function callsOfLibs(root, services) {
  const calls = new Map();
  for (const lib of readdirSync(join(root, 'libs'))) {
    for (const text of sourcesIn(join(root, 'libs', lib, 'src'))) {
      const asked = callsIn(text).asked.filter((name) => services.includes(name));
      for (const [, name] of asked.length > 0 ? text.matchAll(/export class (\w+)/g) : [])
        calls.set(name, asked);
    }
  }
  return calls;
}

/**
 * @param {string} root of the repository
 * @param {object} known
 * @param {readonly string[]} known.services names of all services
 * @returns {{calls: Record<string, string[]>, faults: string[]}}
 */
export function callsInSources(root, { services }) {
  const ofLibs = callsOfLibs(root, services);
  const faults = [];
  const calls = {};
  for (const service of services) {
    const asked = new Set();
    // forwards every operation, and calls each service for its operator routes
    if (service === 'gateway') services.forEach((other) => asked.add(other));
    for (const text of sourcesIn(join(root, 'services', service, 'src'))) {
      const found = callsIn(text);
      found.asked.forEach((name) => asked.add(name));
      if (service !== 'gateway')
        found.computed.forEach((name) =>
          faults.push(`${service}: a call to ${name} cannot be read; name it`),
        );
      for (const [name, reached] of ofLibs)
        if (new RegExp(`\\b${name}\\b`).test(text)) reached.forEach((one) => asked.add(one));
    }
    asked.delete(service);
    calls[service] = [...asked].filter((name) => services.includes(name) && name !== 'gateway').toSorted();
  }
  return { calls, faults };
}
