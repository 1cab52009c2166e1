import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whyNoCluster } from '../cluster/machine.mjs';
import { policyRules, selects } from '../cluster/policy.rules.mjs';

const pod = (name, ip, ports = [{ name: 'inside', containerPort: 8090 }]) => ({
  name,
  ip,
  labels: { app: name },
  ports,
});
const PODS = [
  pod('caller', '10.77.0.1'),
  pod('asked', '10.77.0.2', [{ name: 'inside', containerPort: 18_090 }]),
  pod('free', '10.77.0.3'),
];
const ABOUT = { node: '10.79.0.1', namespace: { name: 'mail' } };
const of = (app) => ({ matchLabels: { app } });
const policy = (app, spec) => ({
  spec: {
    podSelector: of(app),
    policyTypes: ['Ingress', 'Egress'].filter((type) => spec[type.toLowerCase()] !== undefined),
    ...spec,
  },
});
/** The lines of a chain. */
const chainOf = (text, name) =>
  new RegExp(`chain ${name} \\{\\n([^]*?)\\n\\}`).exec(text)?.[1].trim().split(/\n\s*/) ?? [];
const egressOfCaller = (rule) =>
  chainOf(policyRules([policy('caller', { egress: [rule] })], PODS, ABOUT), 'egress_0');
const ingressOfCaller = (rule) =>
  chainOf(policyRules([policy('caller', { ingress: [rule] })], PODS, ABOUT), 'ingress_0');

describe('network policies as rules of nftables', () => {
  it('isolate the pods that a policy selects, and no others', () => {
    const text = policyRules([policy('caller', { egress: [] })], PODS, ABOUT);
    assert.deepEqual(chainOf(text, 'egress_0'), ['drop']);
    assert.match(text, /ip saddr vmap \{ 10\.77\.0\.1 : goto egress_0 \}/);
    assert.deepEqual(chainOf(text, 'egress_1'), []);
    assert.deepEqual(chainOf(text, 'ingress_0'), []);
  });

  it('let replies and the node of the pod through', () => {
    const lines = chainOf(policyRules([], PODS, ABOUT), 'ingress');
    assert.deepEqual(lines.slice(1), ['ct state established,related accept', 'ip saddr 10.79.0.1 accept']);
  });

  it('take the number of a named port from the pod that is connected to', () => {
    const lines = egressOfCaller({ ports: [{ port: 'inside' }], to: [{ podSelector: of('asked') }] });
    assert.deepEqual(lines, ['ip daddr 10.77.0.2 tcp dport 18090 accept', 'drop']);
    const back = ingressOfCaller({ ports: [{ port: 'inside' }], from: [{ podSelector: of('asked') }] });
    assert.deepEqual(back, ['ip saddr 10.77.0.2 tcp dport 8090 accept', 'drop']);
  });

  it('allow all peers of a rule without peers, on its ports alone', () => {
    const ports = [
      { port: 53, protocol: 'UDP' },
      { port: 1, endPort: 65_535 },
    ];
    assert.deepEqual(egressOfCaller({ ports }), ['udp dport 53 accept', 'tcp dport 1-65535 accept', 'drop']);
    assert.deepEqual(ingressOfCaller({ ports: [{ port: 'inside' }] }), ['tcp dport 8090 accept', 'drop']);
  });

  it('leave the exceptions of a network out, and networks of IPv6', () => {
    const to = [
      { ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8', '192.168.0.0/16'] } },
      { ipBlock: { cidr: '::/0', except: ['fc00::/7'] } },
      { ipBlock: { cidr: '198.51.100.0/24' } },
    ];
    assert.deepEqual(egressOfCaller({ ports: [{ port: 25 }], to }), [
      'ip daddr != { 10.0.0.0/8, 192.168.0.0/16 } tcp dport 25 accept',
      'ip daddr 198.51.100.0/24 tcp dport 25 accept',
      'drop',
    ]);
  });

  it('match pods of another namespace not at all', () => {
    const other = { namespaceSelector: { matchLabels: { name: 'kube-system' } }, podSelector: {} };
    assert.deepEqual(egressOfCaller({ ports: [{ port: 53 }], to: [other] }), ['drop']);
    const own = { namespaceSelector: { matchLabels: { name: 'mail' } }, podSelector: of('free') };
    assert.deepEqual(egressOfCaller({ to: [own] }), ['ip daddr 10.77.0.3 accept', 'drop']);
  });

  it('are refused with expressions, which nothing here reads', () => {
    assert.throws(() => selects({ matchExpressions: [] }, {}), /expressions/);
  });
});

describe('a machine without root', () => {
  it('can have no cluster, and the reason is said', (test) => {
    const own = process.getuid;
    test.after(() => (process.getuid = own));
    process.getuid = () => 1_000;
    assert.equal(whyNoCluster(), process.platform === 'linux' ? 'it needs root' : 'it needs Linux');
  });
});
