import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { SERVICES } from '../../libs/contracts/dist/index.js';
import { allowedCalls, manifestFaults } from '../helm-check/manifests.mjs';
import { callsIn, callsInSources, cycleOf, tableFaults } from '../helm-check/service-calls.mjs';
import { valuesSchema } from '../helm-check/values-schema.mjs';

const root = join(import.meta.dirname, '../..');

describe('the calls between services', () => {
  const table = parse(readFileSync(join(root, 'deploy/helm/postmesh/files/service-calls.yaml'), 'utf8'));

  it('is the same in the sources and in the table of the chart', () => {
    const { calls, faults } = callsInSources(root, SERVICES);
    assert.deepEqual(faults, []);
    assert.deepEqual(tableFaults(table, calls), []);
  });

  it('forms no cycle without bootstraps', () => {
    assert.equal(cycleOf(table), undefined);
  });

  it('keeps for the release before no more than was there', () => {
    const kept = Object.entries(table.releaseBefore).flatMap(([from, asked]) =>
      Object.keys(asked).map((to) => `${from} ${to}`),
    );
    const removed = ['accounts messages', 'domains accounts', 'domains messages'];
    removed.push('messages marketing', 'messages webhooks', 'webhooks messages');
    assert.deepEqual(
      kept.filter((edge) => !removed.includes(edge)),
      [],
    );
  });

  it('is reported where it forms a cycle of any length, and not where two paths meet', () => {
    const cycle = (calls, bootstraps = {}) => cycleOf({ calls, bootstraps });
    const round = { a: ['b'], b: ['c', 'd'], c: [], d: ['e', 'b'], e: [] };
    assert.deepEqual(cycle(round), ['b', 'd', 'b']);
    assert.deepEqual(cycle({ a: ['b'], b: ['c'], c: ['a'] }), ['a', 'b', 'c', 'a']);
    assert.equal(cycle(round, { d: { b: 'copy/read.ts' } }), undefined);
    assert.equal(cycle({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }), undefined);
  });

  it('is reported where table and sources differ', () => {
    const faults = (changes, found) =>
      tableFaults({ calls: {}, bootstraps: {}, releaseBefore: {}, ...changes }, found);
    const inFile = (...files) => ({ a: { b: files } });
    assert.deepEqual(faults({}, inFile('x.ts')), ['a asks b: not in the table']);
    assert.deepEqual(faults({ calls: { a: ['b'] } }, {}), ['a does not ask b: it is in the table']);
    assert.deepEqual(faults({ calls: { a: ['b'] } }, inFile('x.ts')), []);
    const copied = { calls: { a: ['b'] }, bootstraps: { a: { b: 'x.ts' } } };
    assert.deepEqual(faults(copied, inFile('x.ts')), []);
    assert.deepEqual(faults(copied, inFile('x.ts', 'y.ts')), ['a: y.ts asks b, which only x.ts may']);
    assert.deepEqual(faults(copied, inFile('y.ts')), [
      'a: x.ts does not ask b',
      'a: y.ts asks b, which only x.ts may',
    ]);
    assert.deepEqual(faults({ ...copied, calls: { a: [] } }, inFile('x.ts')), [
      'a asks b: not in the table',
      'a: the bootstrap from b is not among its calls',
    ]);
    const before = (file) => ({ calls: { a: [] }, releaseBefore: { a: { b: file } } });
    assert.deepEqual(faults(before(null), {}), []);
    assert.deepEqual(faults(before(null), inFile('x.ts')), ['a asks b: not in the table']);
    assert.deepEqual(faults(before('x.ts'), inFile('x.ts')), []);
    assert.deepEqual(faults({ ...before(null), calls: { a: ['b'] } }, inFile('x.ts')), [
      'a asks b in this release: strike it from releaseBefore',
    ]);
  });

  it('are read from literal names, and a computed one is reported', () => {
    const text =
      "await this.client.request(\n  'domains',\n  x); client.send('messages', y); client.send(service, z)";
    assert.deepEqual(callsIn(text), { asked: ['domains', 'messages'], computed: ['service'] });
  });
});

describe('the lists in the schema of values', () => {
  const schema = JSON.stringify({
    properties: {
      secrets: { propertyNames: {} },
      services: { properties: { former: {} } },
      postgres: { properties: { perService: {} } },
      networkPolicy: { properties: { extraEgress: {} } },
    },
    $defs: { settings: { propertyNames: {} } },
  });
  const known = { services: ['gateway', 'accounts'], serviceUrls: new Set(['POSTMESH_ACCOUNTS_URL']) };

  it('have the settings, except secrets, which have a list of their own, and those of the chart', () => {
    const catalogue = [
      { env: 'POSTMESH_FREE', secret: false },
      { env: 'POSTMESH_HTTP_PORT', secret: false },
      { env: 'POSTMESH_ACCOUNTS_URL', secret: false },
      { env: 'POSTMESH_SECRET_KEYS', secret: true },
      { env: 'REDIS_URL', secret: true },
    ];
    const made = JSON.parse(valuesSchema(schema, catalogue, known));
    assert.deepEqual(made.$defs.settings.propertyNames.enum, ['POSTMESH_FREE']);
    assert.deepEqual(made.properties.secrets.propertyNames.enum, ['POSTMESH_SECRET_KEYS']);
  });

  it('have every service, and no former one', () => {
    const { services, postgres, networkPolicy } = JSON.parse(valuesSchema(schema, [], known)).properties;
    assert.deepEqual([Object.keys(services.properties), services.required], [known.services, known.services]);
    assert.deepEqual(Object.keys(postgres.properties.perService.properties), ['accounts']);
    assert.deepEqual(Object.keys(networkPolicy.properties.extraEgress.properties), known.services);
  });
});

const COMPONENT = 'app.kubernetes.io/component';
const labels = (component) => ({ [COMPONENT]: component });

const STOP = [
  { name: 'POSTMESH_DRAIN_SECONDS', value: '5' },
  { name: 'POSTMESH_TERMINATION_GRACE_SECONDS', value: '30' },
];

function deployment(component, change = {}) {
  const probe = (path) => ({ httpGet: { path, port: 'inside' } });
  const container = {
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    env: [{ name: 'SERVICE', value: component }, ...STOP],
    ports: [{ name: 'inside', containerPort: 8090 }],
    startupProbe: probe('/health/live'),
    livenessProbe: probe('/health/live'),
    readinessProbe: { ...probe('/health/ready'), periodSeconds: 2, failureThreshold: 2 },
    resources: { requests: { cpu: '1', memory: '1Gi' } },
    volumeMounts: [
      { name: 'tmp', mountPath: '/tmp' },
      { name: 'data', mountPath: '/data' },
    ],
    ...change.container,
  };
  const spec = {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 30,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    volumes: [{ name: 'tmp' }, { name: 'data' }],
    containers: [container],
    ...change.pod,
  };
  return {
    kind: 'Deployment',
    metadata: { name: component, labels: labels(component) },
    spec: {
      selector: { matchLabels: labels(component) },
      template: { metadata: { labels: labels(component) }, spec },
    },
  };
}

const known = {
  services: ['a'],
  settings: new Map([
    ['OPEN', { secret: false }],
    ['HIDDEN', { secret: true }],
    ...STOP.map(({ name }) => /** @type {const} */ ([name, { secret: false }])),
  ]),
  accept: (environment) => {
    if (environment.OPEN === 'bad') throw new Error('OPEN is bad');
  },
  calls: {},
};

describe('the faults of manifests', () => {
  const faultsOf = (...manifests) => manifestFaults(manifests, known);

  it('are none in correct manifests', () => {
    assert.deepEqual(faultsOf(deployment('a')), []);
  });

  const withEnv = (...env) =>
    deployment('a', { container: { env: [{ name: 'SERVICE', value: 'a' }, ...STOP, ...env] } });
  const inNeedOf = (kind, spec) => [deployment('a'), { kind, metadata: { name: 'x', labels: {} }, spec }];
  /** @type {[string, any[], RegExp][]} */
  const table = [
    ['a service without a workload', [], /a: nothing runs it/],
    ['root', [deployment('a', { pod: { securityContext: {} } })], /runs as root.*no seccomp/s],
    ['no writable file system', [deployment('a', { container: { volumeMounts: [] } })], /no room to write/],
    ['a mount of nothing', [deployment('a', { pod: { volumes: [] } })], /mounts a volume that is not there/],
    [
      'variables for Services',
      [deployment('a', { pod: { enableServiceLinks: true } })],
      /variables for Services/,
    ],
    ['no requests', [deployment('a', { container: { resources: {} } })], /requests nothing/],
    ['no probe', [deployment('a', { container: { readinessProbe: undefined } })], /lacks a probe/],
    [
      'a stop with too little time',
      [deployment('a', { pod: { terminationGracePeriodSeconds: 12 } })],
      /another time to stop/,
    ],
    ['an unknown setting', [withEnv({ name: 'OPNE', value: 'x' })], /no setting OPNE/],
    [
      'a setting twice',
      [withEnv({ name: 'OPEN', value: 'x' }, { name: 'OPEN', value: 'y' })],
      /OPEN is there twice/,
    ],
    ['a secret in plain text', [withEnv({ name: 'HIDDEN', value: 'x' })], /HIDDEN is a secret in plain text/],
    ['a setting that is refused', [withEnv({ name: 'OPEN', value: 'bad' })], /OPEN is bad/],
    ['a Secret', [deployment('a'), { kind: 'Secret', metadata: { name: 's' } }], /a Secret in the chart/],
    ['two with one name', [deployment('a'), deployment('a')], /Deployment\/a is there twice/],
    ['a Service without pods', inNeedOf('Service', { selector: labels('b'), ports: [] }), /selects nothing/],
    [
      'a port without a listener',
      inNeedOf('Service', { selector: labels('a'), ports: [{ targetPort: 'other' }] }),
      /no port other in its pods/,
    ],
    [
      'a policy without pods',
      inNeedOf('NetworkPolicy', { podSelector: { matchLabels: labels('b') } }),
      /selects nothing/,
    ],
    [
      'a scaler without a workload',
      inNeedOf('ScaledObject', { scaleTargetRef: { kind: 'Deployment', name: 'b' } }),
      /scales what is not there/,
    ],
    [
      'an Ingress without a Service',
      inNeedOf('Ingress', {
        rules: [
          { host: 'a', http: { paths: [{ backend: { service: { name: 'b', port: { name: 'http' } } } }] } },
        ],
      }),
      /leads nowhere/,
    ],
    [
      'an Ingress for the API under every host',
      inNeedOf('Ingress', {
        rules: [{ http: { paths: [{ path: '/', backend: { service: { name: 'a', port: {} } } }] } }],
      }),
      /lets \/ through under every host/,
    ],
  ];
  for (const [name, manifests, fault] of table) {
    it(`are reported: ${name}`, () => assert.match(faultsOf(...manifests).join('\n'), fault));
  }
});

describe('allowed connections', () => {
  const policy = (component, spec) => ({
    kind: 'NetworkPolicy',
    metadata: { name: component },
    spec: { podSelector: { matchLabels: labels(component) }, policyTypes: ['Ingress', 'Egress'], ...spec },
  });
  const pods = ['a', 'b', 'c'].map((component) => deployment(component));
  const peer = (component) => [{ podSelector: { matchLabels: labels(component) } }];
  const ports = [{ port: 'inside' }];

  it('are all without a policy, and none with an empty one', () => {
    assert.deepEqual(allowedCalls(pods, ['a', 'b']), { a: ['b'], b: ['a'] });
    assert.deepEqual(allowedCalls([...pods, policy('a', {})], ['a', 'b']), { a: [], b: [] });
  });

  it('need a policy at both ends, and the port', () => {
    const out = policy('a', { egress: [{ ports, to: [...peer('b'), ...peer('c')] }] });
    const into = policy('b', { ingress: [{ ports, from: peer('a') }] });
    const other = policy('c', { ingress: [{ ports: [{ port: 'http' }], from: peer('a') }] });
    const allowed = allowedCalls([...pods, out, into, other], ['a', 'b', 'c']);
    assert.deepEqual(allowed, { a: ['b'], b: [], c: [] });
  });
});
