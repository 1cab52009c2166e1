// @ts-check
// The network of a cluster on one machine: a namespace per pod, each with a wire of its own to the namespace of the router,
// where the policies and the addresses of Services are rules of nftables. The namespace of the machine is the outside.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../real/debian-program.mjs';
import { chain, policyRules, selects, table } from './policy.rules.mjs';

/** Documentation addresses (RFC 5737): no network of ours is private by the chart's own list. */
export const OUTSIDE = '198.51.100.1';
const ROUTER = '198.51.100.2';
/** From which probes come. */
export const NODE = '10.79.0.1';
const PODS = '10.77.0.0/16';
const SERVICES = '10.78.0.0/16';
/** The next hop of every pod; an address of the router alone, which answers for it on each wire. */
const HOP = '169.254.1.1';
const STEP_MS = 20_000;

/** @typedef {import('./policy.rules.mjs').Endpoint & { isReady: boolean }} Backend */

export class Network {
  constructor() {
    this.nft = findProgram({ name: 'nft', debianPackage: 'nftables' });
    this.id = process.pid.toString(36);
    this.router = `pm${this.id}`;
    this.count = 0;
    /** addresses of Services by name @type {Map<string, string>} */
    this.addresses = new Map();
    /** @type {Set<string>} */
    this.namespaces = new Set();
    /** ports of this machine by the port of the outside @type {Map<number, number>} */
    this.handed = new Map();
  }

  open() {
    const wire = `pm${this.id}`;
    this.namespaces.add(this.router);
    ip(['netns', 'add', this.router]);
    ip(['link', 'add', wire, 'type', 'veth', 'peer', 'name', 'out', 'netns', this.router]);
    for (const address of [`${OUTSIDE}/30`, `${NODE}/32`]) ip(['address', 'add', address, 'dev', wire]);
    ip(['link', 'set', wire, 'up']);
    this.inRouter(['address', 'add', `${ROUTER}/30`, 'dev', 'out']);
    for (const link of ['out', 'lo']) this.inRouter(['link', 'set', link, 'up']);
    this.inRouter(['address', 'add', `${HOP}/32`, 'dev', 'lo']);
    this.inRouter(['route', 'add', 'default', 'via', OUTSIDE]);
    // a Service without a ready pod
    this.inRouter(['route', 'add', 'unreachable', SERVICES]);
    // a pod whose node is gone: no error comes back
    this.inRouter(['route', 'add', 'blackhole', PODS]);
    for (const network of [PODS, SERVICES]) ip(['route', 'add', network, 'via', ROUTER, 'src', OUTSIDE]);
    run('ip', ['netns', 'exec', this.router, 'sysctl', '-qw', 'net.ipv4.ip_forward=1']);
    run('sysctl', ['-qw', `net.ipv4.conf.${wire}.route_localnet=1`]);
  }

  /**
   * Packets to this port of the outside go to a server of this machine, without a program in between, which would keep the
   * connections of pods that are gone.
   * @param {number} port @param {number} to on 127.0.0.1, where the server takes all pods for clients of this machine
   */
  hand(port, to) {
    this.handed.set(port, to);
    const targets = [...this.handed].map(([from, at]) => `${from} : 127.0.0.1 . ${at}`).join(', ');
    const wire = `iifname "${this.router}"`;
    const chains = [
      chain('arrive', [
        'type nat hook prerouting priority dstnat;',
        `${wire} ip daddr ${OUTSIDE} dnat ip to tcp dport map { ${targets} }`,
      ]),
      chain('enter', ['type nat hook input priority 100;', `${wire} ip daddr 127.0.0.1 snat to 127.0.0.1`]),
    ];
    run(this.nft, ['-f', '-'], table(this.router, chains));
  }

  /** @param {string} name of a Service @returns {string} its address */
  addressOf(name) {
    const known = this.addresses.get(name);
    if (known !== undefined) return known;
    const address = `10.78.0.${this.addresses.size + 1}`;
    this.addresses.set(name, address);
    return address;
  }

  /** @returns {{ namespace: string, ip: string, wire: string }} of a new pod, which knows the Services by name */
  addPod() {
    const nth = (this.count += 1);
    const namespace = `${this.router}-${nth}`;
    const address = `10.77.${nth >> 8}.${nth & 255}`;
    const wire = `w${nth}`;
    this.namespaces.add(namespace);
    const files = join('/etc/netns', namespace);
    mkdirSync(files, { recursive: true });
    const names = [...this.addresses].map(([name, at]) => `${at} ${name}`);
    writeFileSync(join(files, 'hosts'), `127.0.0.1 localhost\n${names.join('\n')}\n`);
    writeFileSync(join(files, 'resolv.conf'), `nameserver ${OUTSIDE}\n`);
    ip(['netns', 'add', namespace]);
    this.inRouter(['link', 'add', wire, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace]);
    this.inRouter(['link', 'set', wire, 'up']);
    this.inRouter(['route', 'add', `${address}/32`, 'dev', wire]);
    const inPod = (/** @type {string[]} */ args) => ip(['-n', namespace, ...args]);
    for (const link of ['lo', 'eth0']) inPod(['link', 'set', link, 'up']);
    inPod(['address', 'add', `${address}/32`, 'dev', 'eth0']);
    inPod(['route', 'add', HOP, 'dev', 'eth0', 'scope', 'link']);
    inPod(['route', 'add', 'default', 'via', HOP, 'dev', 'eth0']);
    return { namespace, ip: address, wire };
  }

  /** Nothing leaves it from now on, not even the end of its connections. @param {string} wire */
  cut(wire) {
    this.inRouter(['link', 'set', wire, 'down']);
  }

  /** @param {string} namespace of a pod without processes */
  removePod(namespace) {
    ip(['netns', 'delete', namespace]);
    rmSync(join('/etc/netns', namespace), { recursive: true, force: true });
    this.namespaces.delete(namespace);
  }

  /** @param {any[]} manifests @param {readonly Backend[]} pods */
  apply(manifests, pods) {
    const of = (/** @type {string} */ kind) => manifests.filter((one) => one.kind === kind);
    const about = { node: NODE, namespace: { 'kubernetes.io/metadata.name': 'mail' } };
    const text = [policyRules(of('NetworkPolicy'), pods, about), this.serviceRules(of('Service'), pods)].join(
      '\n',
    );
    run('ip', ['netns', 'exec', this.router, this.nft, '-f', '-'], text);
  }

  /** Each connection to the address of a Service goes to one of its ready pods. @param {any[]} services @param {readonly Backend[]} pods */
  serviceRules(services, pods) {
    /** @type {string[]} */
    const chains = [];
    const rules = services.flatMap(({ metadata, spec }) =>
      spec.ports.flatMap((/** @type {{ port: number, targetPort: string }} */ { port, targetPort }) => {
        const ready = pods.filter(
          ({ isReady, labels }) => isReady && selects({ matchLabels: spec.selector }, labels),
        );
        const targets = ready.flatMap(({ ip: to, ports }) => {
          const inside = ports.find(({ name }) => name === targetPort)?.containerPort;
          return inside === undefined ? [] : [`${to}:${inside}`];
        });
        const names = targets.map((to) => {
          chains.push(chain(`to_${chains.length}`, [`ip protocol tcp dnat to ${to}`]));
          return `to_${chains.length - 1}`;
        });
        if (names.length === 0) return [];
        const choice = names.map((name, nth) => `${nth} : goto ${name}`).join(', ');
        const address = this.addressOf(metadata.name);
        return [`ip daddr ${address} tcp dport ${port} numgen random mod ${names.length} vmap { ${choice} }`];
      }),
    );
    return table('services', [
      ...chains,
      chain('choose', ['type nat hook prerouting priority dstnat;', ...rules]),
    ]);
  }

  close() {
    for (const namespace of this.namespaces) {
      spawnSync('ip', ['netns', 'delete', namespace], { timeout: STEP_MS });
      rmSync(join('/etc/netns', namespace), { recursive: true, force: true });
    }
    this.namespaces.clear();
    if (this.handed.size > 0)
      spawnSync(this.nft, ['delete', 'table', 'ip', this.router], { timeout: STEP_MS });
    spawnSync('ip', ['link', 'delete', `pm${this.id}`], { timeout: STEP_MS });
  }

  /** @param {string[]} args of ip */
  inRouter(args) {
    ip(['-n', this.router, ...args]);
  }
}

/** @param {string[]} args */
const ip = (args) => run('ip', args);

/** @param {string} command @param {string[]} args @param {string} [input] @throws Error when it fails */
function run(command, args, input) {
  const done = spawnSync(command, args, { input, encoding: 'utf8', timeout: STEP_MS });
  if (done.status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${done.error?.message ?? done.stderr}${input ?? ''}`);
}
