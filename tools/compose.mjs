// Checks docker-compose.yml without an engine: it is complete and names only things that exist.
import { parse } from 'yaml';

// Read by the image's entry point, not by the service.
const NOT_SETTINGS = new Set(['SERVICE']);

/**
 * @param {string} text docker-compose.yml
 * @param {object} known
 * @param {readonly string[]} known.services names of all services
 * @param {ReadonlySet<string>} known.settings environment variables of the settings catalogue
 * @param {(service: string) => boolean} known.hasMain whether the source of `services/<service>/dist/main.js` exists
 * @returns {string[]} one line per fault
 */
export function composeFaults(text, known) {
  const { services } = parse(text, { merge: true });
  const ours = Object.entries(services).filter(([, service]) => service.environment?.SERVICE !== undefined);
  return [
    ...missingServices(ours, known.services),
    ...Object.entries(services).flatMap(([name, service]) => unknownDependencies(name, service, services)),
    ...ours.flatMap(([name, service]) => [
      ...unknownSettings(name, service, known.settings),
      ...unreachableParts(name, service, services),
      ...(known.hasMain(service.environment.SERVICE)
        ? []
        : [`${name}: services/${service.environment.SERVICE}/src/main.ts does not exist`]),
      ...(String(service.healthcheck?.test ?? '').includes('/health/ready')
        ? []
        : [`${name}: no health check on /health/ready`]),
    ]),
  ];
}

function missingServices(ours, wanted) {
  const started = new Set(ours.map(([, service]) => service.environment.SERVICE));
  return wanted.filter((name) => !started.has(name)).map((name) => `${name}: it is not started`);
}

function unknownDependencies(name, service, services) {
  const wanted = service.depends_on ?? {};
  return (Array.isArray(wanted) ? wanted : Object.keys(wanted))
    .filter((dependency) => services[dependency] === undefined)
    .map((dependency) => `${name}: depends on ${dependency}, which does not exist`);
}

function unknownSettings(name, service, settings) {
  return Object.keys(service.environment)
    .filter((variable) => !NOT_SETTINGS.has(variable) && !settings.has(variable))
    .map((variable) => `${name}: there is no setting ${variable}`);
}

/** Host names in URLs and broker lists have to be services of this file. */
function unreachableParts(name, service, services) {
  return Object.entries(service.environment)
    .filter(([variable]) => /_URL$|^KAFKA_BROKERS$/.test(variable) && variable !== 'POSTMESH_BASE_URL')
    .flatMap(([variable, value]) => {
      const host = /(?:^|\/\/)(?:[^/]*@)?([a-z0-9.-]+):\d+/.exec(String(value))?.[1];
      return host !== undefined && services[host] !== undefined
        ? []
        : [`${name}: ${variable} names ${host ?? 'no host'}, which does not exist`];
    });
}
