// @ts-check
// Every service as a process of its own, as in production: they find each other by URL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { INNER_SERVICES } from '@postmesh/contracts';
import { freePort } from '../free-port.mjs';
import { adopt } from '../processes.mjs';
import { Balancer } from './balancer.mjs';

const START_MS = 90_000;
/** For processes of tests, of which many run at once: each collects its garbage without threads of its own. */
export const BRIEF_LIFE = ['--single-threaded-gc'];
const ROOT = join(import.meta.dirname, '..', '..');
/** Settings of ports by name of the port. @type {Record<string, string>} */
const SERVICE_PORTS = { service: 'POSTMESH_SERVICE_PORT' };
/** @type {Record<string, string>} */
const GATEWAY_PORTS = {
  ...SERVICE_PORTS,
  api: 'POSTMESH_HTTP_PORT',
  operator: 'POSTMESH_OPERATOR_PORT',
  submission: 'POSTMESH_SUBMISSION_PORTS',
  mx: 'POSTMESH_MX_PORT',
};
/** @param {string} service */
const portsOf = (service) => (service === 'gateway' ? GATEWAY_PORTS : SERVICE_PORTS);

const FLEET_SECRET = 'a-secret-for-fleets-of-services-0123456789';
export const FLEET_OPERATOR_TOKEN = 'pm-op-of-the-gateways-of-a-fleet';

/**
 * Settings of services on a real broker and Redis, with the local internet.
 * @param {{ databaseUrl: string, brokers: readonly string[], redisUrl: string,
 *   internet: { dnsAddress: string, sinkPort: number } }} parts
 */
export const onRealParts = ({ databaseUrl, brokers, redisUrl, internet }) => ({
  DATABASE_URL: databaseUrl,
  KAFKA_BROKERS: brokers.join(','),
  REDIS_URL: redisUrl,
  POSTMESH_KAFKA_TOPIC_PREFIX: `test-${Date.now().toString(36)}.`,
  POSTMESH_SECRET_KEYS: FLEET_SECRET,
  POSTMESH_DNS_SERVERS: internet.dnsAddress,
  POSTMESH_REMOTE_SMTP_PORT: String(internet.sinkPort),
  POSTMESH_OUTGOING_HTTP_ALLOW: '127.0.0.0/8',
  POSTMESH_ALLOW_PRIVATE_MX: 'on',
  POSTMESH_DATABASE_POOL_SIZE: '4',
  POSTMESH_DKIM_KEY_BITS: '1024',
  POSTMESH_RATE_GENERAL_PER_SECOND: '10000',
  POSTMESH_RATE_GENERAL_BURST: '10000',
});

export class Fleet {
  /** @param {Record<string, string>} settings of every service @param {string} [root] folder of the build that it begins with */
  constructor(settings, root = ROOT) {
    this.settings = settings;
    this.root = root;
    /** @type {Map<string, import('../processes.mjs').Child>} */
    this.children = new Map();
    /** @type {Map<string, { service: string, more: Record<string, string> }>} */
    this.started = new Map();
    /** @type {Map<string, number>} */
    this.ports = new Map();
    /** by service; those without one are called directly @type {Map<string, Balancer>} */
    this.balancers = new Map();
    this.count = 0;
    this.log = '';
  }

  /** The last output of all processes. */
  get output() {
    return this.log.slice(-20_000);
  }

  /** @param {string} name of a process, or of a service with a balancer */
  urlOf(name) {
    return `http://127.0.0.1:${this.balancers.get(name)?.portOf('service') ?? this.ports.get(name)}`;
  }

  /** From now on the services may have several processes each, behind one address. @param {readonly string[]} services */
  async balance(services) {
    for (const service of services) {
      const balancer = new Balancer();
      await balancer.open(Object.keys(portsOf(service)));
      this.balancers.set(service, balancer);
    }
  }

  /** Name of a further process. @param {string} service */
  nameOf(service) {
    return `${service}-${(this.count += 1)}`;
  }

  /** Processes without a stop. @param {string} service @returns {string[]} */
  processesOf(service) {
    return [...this.started].filter(([, one]) => one.service === service).map(([name]) => name);
  }

  /** Ports are chosen before the first start: every process gets the URLs of all. @param {readonly string[]} names */
  async choosePorts(names) {
    for (const name of names) this.ports.set(name, await freePort());
  }

  /**
   * @param {string} name @param {string} service @param {Record<string, string>} [more] settings of this process
   * @param {string} [root] folder of the build that it runs, by default the one that all began with
   */
  async start(name, service, more = {}, root = this.root) {
    const main = join(root, 'services', service, 'dist', 'main.js');
    const balancer = this.balancers.get(service);
    const ports = balancer && (await freePorts(Object.keys(portsOf(service))));
    const own = ports ? settingsOf(service, ports) : { POSTMESH_SERVICE_PORT: String(this.ports.get(name)) };
    const child = adopt(
      spawn(process.execPath, [...BRIEF_LIFE, main], {
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          POSTMESH_LOG_LEVEL: 'warn',
          ...this.urlSettings(),
          ...this.settings,
          ...own,
          ...more,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    this.children.set(name, child);
    this.started.set(name, { service, more });
    await this.untilReady(name, child);
    if (ports) await balancer.add(name, ports);
  }

  /**
   * A gateway with a public port of its own.
   * @param {string} name @param {Record<string, string>} [more] settings
   * @returns {Promise<string>} its public URL
   */
  async startGateway(name, more = {}) {
    const port = await freePort();
    await this.start(name, 'gateway', {
      POSTMESH_HTTP_PORT: String(port),
      POSTMESH_OPERATOR_PORT: '0',
      POSTMESH_OPERATOR_TOKEN: FLEET_OPERATOR_TOKEN,
      POSTMESH_SUBMISSION_PORTS: '0',
      POSTMESH_MX_PORT: '0',
      ...more,
    });
    return `http://127.0.0.1:${port}`;
  }

  /** Restarts a killed process on the same port and with the same settings. @param {string} name */
  async restart(name) {
    const before = this.started.get(name);
    if (!before) throw new Error(`${name} was never started`);
    await this.start(name, before.service, before.more);
  }

  /** @param {string} name @param {NodeJS.Signals} signal @returns {Promise<number | null>} exit code */
  async kill(name, signal) {
    const child = this.children.get(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return null;
    const exited = once(child, 'exit');
    const service = this.started.get(name)?.service ?? '';
    const balancer = this.balancers.get(service);
    // kept for a restart
    if (balancer) this.started.delete(name);
    child.kill(signal);
    const [code] = await exited;
    balancer?.remove(name);
    return code;
  }

  async stop() {
    await Promise.all([...this.children.keys()].map((name) => this.kill(name, 'SIGTERM')));
    await Promise.all([...this.balancers.values()].map((balancer) => balancer.close()));
  }

  /** @returns {Record<string, string>} */
  urlSettings() {
    const known = INNER_SERVICES.filter((service) => this.ports.has(service) || this.balancers.has(service));
    return Object.fromEntries(
      known.map((service) => [
        `POSTMESH_${service.toUpperCase().replaceAll('-', '_')}_URL`,
        this.urlOf(service),
      ]),
    );
  }

  /** @param {string} name @param {import('../processes.mjs').Child} child @returns {Promise<void>} */
  untilReady(name, child) {
    return new Promise((resolve, reject) => {
      /** @param {string} why */
      const fail = (why) => {
        clearTimeout(timer);
        reject(new Error(`${name} ${why}:\n${this.output}`));
      };
      const timer = setTimeout(() => fail('was not ready in time'), START_MS);
      child.once('exit', (code) => fail(`ended with ${code}`));
      child.stderr?.on('data', (chunk) => (this.log = (this.log + chunk).slice(-200_000)));
      child.stdout?.on('data', (chunk) => {
        if (!/^postmesh \S+ ready/m.test(String(chunk))) return;
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

/** @param {readonly string[]} names @returns {Promise<Record<string, number>>} */
async function freePorts(names) {
  /** @type {Record<string, number>} */
  const ports = {};
  for (const name of names) ports[name] = await freePort();
  return ports;
}

/** @param {string} service @param {Record<string, number>} ports */
const settingsOf = (service, ports) => ({
  ...Object.fromEntries(
    Object.entries(portsOf(service)).map(([name, setting]) => [setting, String(ports[name])]),
  ),
  ...(service === 'gateway' ? { POSTMESH_OPERATOR_TOKEN: FLEET_OPERATOR_TOKEN } : {}),
});
