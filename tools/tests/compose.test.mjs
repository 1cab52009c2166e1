import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SERVICES } from '../../libs/contracts/dist/index.js';
import { parse } from 'yaml';
import { CATALOGUE, loadSettings } from '../../libs/settings/dist/index.js';
import { composeFaults } from '../compose.mjs';

const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
const known = {
  services: SERVICES,
  settings: new Set(Object.values(CATALOGUE).map(({ env }) => env)),
  hasMain: (service) => existsSync(join(root, 'services', service, 'src/main.ts')),
};

describe('docker-compose.yml', () => {
  it('starts every service, with settings that exist, from mains that exist', () => {
    assert.deepEqual(composeFaults(text, known), []);
  });

  it('gives each service settings that it accepts', () => {
    const filled = text
      .replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
      .replaceAll(/\$\{\w+:\?[^}]*\}/g, 'a-secret-of-more-than-32-characters');
    const services = Object.values(parse(filled, { merge: true }).services);
    for (const { environment } of services.filter((service) => service.environment?.SERVICE)) {
      const given = Object.entries(environment).map(([name, value]) => [name, String(value)]);
      const settings = loadSettings(Object.fromEntries(given));
      assert.deepEqual(settings.kafkaBrokers, ['kafka:9092']);
      assert.equal(settings.localInternet, false);
      assert.ok(settings.redisUrl && settings.databaseUrl && settings.secretKeys.length === 1);
    }
  });

  it('requires the secret keys and has none', () => {
    assert.match(text, /POSTMESH_SECRET_KEYS: \$\{POSTMESH_SECRET_KEYS:\?/);
  });

  it('has no default password', () => {
    const asked = [...text.matchAll(/\$\{(\w*(?:PASSWORD|KEYS|TOKEN)\w*)(:?[-?])([^}]*)\}/g)];
    assert.deepEqual(
      asked
        .filter(([, , how, what]) => how !== ':?' || !what?.startsWith('set it to'))
        .map(([given]) => given),
      [],
    );
    assert.deepEqual([...new Set(asked.map(([, name]) => name))].sort(), [
      'POSTMESH_DB_PASSWORD',
      'POSTMESH_OPERATOR_TOKEN',
      'POSTMESH_REDIS_PASSWORD',
      'POSTMESH_SECRET_KEYS',
    ]);
  });

  it('keeps PostgreSQL, Kafka and Redis on a network of services only', () => {
    const { services, networks } = parse(text, { merge: true });
    assert.deepEqual(networks.parts, { internal: true });
    for (const part of ['postgres', 'kafka', 'redis']) {
      assert.deepEqual(services[part].networks, ['parts']);
      assert.equal(services[part].ports, undefined);
    }
    for (const service of SERVICES) assert.deepEqual(services[service].networks, ['default', 'parts']);
  });

  /** @type {any[][]} */
  const broken = [
    [
      'a service that is not started',
      'SERVICE: marketing',
      'SERVICE: domains',
      /marketing: it is not started/,
    ],
    ['a misspelt setting', 'POSTMESH_HTTP_HOST', 'POSTMESH_HTPP_HOST', /no setting POSTMESH_HTPP_HOST/],
    ['a URL of a service without one', 'POSTMESH_DOMAINS_URL', 'POSTMESH_DNS_URL', /no setting POSTMESH_DNS/],
    [
      'a URL without a target',
      'http://messages:8090',
      'http://mesages:8090',
      /POSTMESH_MESSAGES_URL names mesages/,
    ],
    ['unknown brokers', 'kafka:9092\n', 'broker:9092\n', /KAFKA_BROKERS names broker/],
    ['a missing dependency', '  redis:\n    image', '  valkey:\n    image', /depends on redis/],
    ['a missing main', 'SERVICE: gateway', 'SERVICE: getaway', /getaway\/src\/main.ts does not exist/],
    ['a missing health check', '/health/ready', '/health', /no health check/],
  ];
  for (const [what, good, bad, expected] of broken) {
    it(`would be refused with ${what}`, () => {
      assert.ok(text.includes(good), `${good} is in the file`);
      assert.match(composeFaults(text.replace(good, bad), known).join('\n'), expected);
    });
  }
});

describe('deploy/Dockerfile', () => {
  const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8');

  it('runs the main of SERVICE, by default of all-in-one', () => {
    assert.match(dockerfile, /services\/\$\{SERVICE\}\/dist\/main\.js/);
    const service = /^ARG SERVICE=(.+)$/m.exec(dockerfile)?.[1];
    assert.ok(known.hasMain(service), `services/${service}/src/main.ts exists`);
  });

  it('does not run as root', () => {
    assert.match(dockerfile, /^USER node$/m);
  });

  it('copies only what exists', () => {
    for (const [, from] of dockerfile.matchAll(/^COPY (?!--from)(\S+) /gm))
      assert.ok(existsSync(join(root, from)), from);
  });
});
