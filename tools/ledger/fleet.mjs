// @ts-check
// Every service as a process of its own, as in production: they find each other by URL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { adopt, freePort } from '../bench/processes.mjs';

const START_MS = 90_000;
const SERVICES = join(import.meta.dirname, '..', '..', 'services');

/** Services that others ask, under their own name. */
const NEIGHBOURS = [
  'accounts',
  'domains',
  'messages',
  'marketing',
  'webhooks',
  'webhook-dispatcher',
  'delivery-worker',
];

export const FLEET_SECRET = 'a-secret-for-fleets-of-services-0123456789';
export const FLEET_OPERATOR_TOKEN = 'pm-op-of-the-gateways-of-a-fleet';

/**
 * Settings of services that meet a real broker and Redis, and the local internet as the world.
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
  /** @param {Record<string, string>} settings of every service */
  constructor(settings) {
    this.settings = settings;
    /** @type {Map<string, import('../bench/processes.mjs').Child>} */
    this.children = new Map();
    /** @type {Map<string, { service: string, more: Record<string, string> }>} */
    this.started = new Map();
    /** @type {Map<string, number>} */
    this.ports = new Map();
    this.log = '';
  }

  /** The last of what all of them said. */
  get output() {
    return this.log.slice(-20_000);
  }

  /** @param {string} name */
  urlOf(name) {
    return `http://127.0.0.1:${this.ports.get(name)}`;
  }

  /** Ports are chosen before anybody starts, because everybody must know everybody. @param {readonly string[]} names */
  async choosePorts(names) {
    for (const name of names) this.ports.set(name, await freePort());
  }

  /** @param {string} name @param {string} service @param {Record<string, string>} [more] settings of this process */
  async start(name, service, more = {}) {
    const main = join(SERVICES, service, 'dist', 'main.js');
    const child = adopt(
      spawn(process.execPath, [main], {
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          POSTMESH_SERVICE_PORT: String(this.ports.get(name)),
          POSTMESH_LOG_LEVEL: 'warn',
          ...this.urlSettings(),
          ...this.settings,
          ...more,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    this.children.set(name, child);
    this.started.set(name, { service, more });
    await this.untilReady(name, child);
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

  /** Starts again what was killed, on the same port and with the same settings. @param {string} name */
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
    child.kill(signal);
    const [code] = await exited;
    return code;
  }

  async stop() {
    await Promise.all([...this.children.keys()].map((name) => this.kill(name, 'SIGTERM')));
  }

  /** @returns {Record<string, string>} */
  urlSettings() {
    const known = NEIGHBOURS.filter((service) => this.ports.has(service));
    return Object.fromEntries(
      known.map((service) => [
        `POSTMESH_${service.toUpperCase().replaceAll('-', '_')}_URL`,
        this.urlOf(service),
      ]),
    );
  }

  /** @param {string} name @param {import('../bench/processes.mjs').Child} child @returns {Promise<void>} */
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
