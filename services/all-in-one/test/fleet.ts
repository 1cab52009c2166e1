import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '@postmesh/contracts';
import type { LocalInternet } from '@postmesh/local-internet';
import { freePort } from '@postmesh/testing';

const START_MS = 90_000;

/** Services that others ask, under their own name. */
const NEIGHBOURS = ['accounts', 'domains', 'messages', 'marketing', 'webhooks', 'webhook-dispatcher'];

export const FLEET_SECRET = 'a-secret-for-fleets-of-services-0123456789';

interface RealParts {
  databaseUrl: string;
  brokers: readonly string[];
  redisUrl: string;
  internet: LocalInternet;
}

/** Settings of services that meet a real broker and Redis, and the local internet as the world. */
export const onRealParts = ({ databaseUrl, brokers, redisUrl, internet }: RealParts) => ({
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
  POSTMESH_RATE_GENERAL_PER_SECOND: '10000',
  POSTMESH_RATE_GENERAL_BURST: '10000',
});

/** Every service as a process of its own, as in production: they find each other by URL. */
export class Fleet {
  private readonly children = new Map<string, ChildProcess>();
  private readonly started = new Map<string, { service: ServiceName; more: Record<string, string> }>();
  private readonly ports = new Map<string, number>();
  private log = '';

  constructor(private readonly settings: Record<string, string>) {}

  get output(): string {
    return this.log.slice(-20_000);
  }

  urlOf(name: string): string {
    return `http://127.0.0.1:${this.ports.get(name)}`;
  }

  /** Ports are chosen before anybody starts, because everybody must know everybody. */
  async choosePorts(names: readonly string[]): Promise<void> {
    for (const name of names) this.ports.set(name, await freePort());
  }

  async start(name: string, service: ServiceName, more: Record<string, string> = {}): Promise<void> {
    const main = fileURLToPath(new URL(`../../${service}/dist/main.js`, import.meta.url));
    const child = spawn(process.execPath, [main], {
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
    });
    this.children.set(name, child);
    this.started.set(name, { service, more });
    await this.untilReady(name, child);
  }

  /** A gateway with a public port of its own. @returns its public URL */
  async startGateway(name: string): Promise<string> {
    const port = await freePort();
    await this.start(name, 'gateway', {
      POSTMESH_HTTP_PORT: String(port),
      POSTMESH_OPERATOR_PORT: '0',
      POSTMESH_OPERATOR_TOKEN: 'pm-op-of-the-gateways-of-a-fleet',
      POSTMESH_SUBMISSION_PORTS: '0',
      POSTMESH_MX_PORT: '0',
    });
    return `http://127.0.0.1:${port}`;
  }

  /** Starts again what was killed, on the same port and with the same settings. */
  async restart(name: string): Promise<void> {
    const before = this.started.get(name);
    if (!before) throw new Error(`${name} was never started`);
    await this.start(name, before.service, before.more);
  }

  async kill(name: string, signal: NodeJS.Signals): Promise<void> {
    const child = this.children.get(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.children.keys()].map((name) => this.kill(name, 'SIGTERM')));
  }

  private urlSettings(): Record<string, string> {
    const known = NEIGHBOURS.filter((service) => this.ports.has(service));
    return Object.fromEntries(
      known.map((service) => [
        `POSTMESH_${service.toUpperCase().replaceAll('-', '_')}_URL`,
        this.urlOf(service),
      ]),
    );
  }

  private untilReady(name: string, child: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (why: string) => {
        clearTimeout(timer);
        reject(new Error(`${name} ${why}:\n${this.output}`));
      };
      const timer = setTimeout(() => fail('was not ready in time'), START_MS);
      child.once('exit', (code) => fail(`ended with ${code}`));
      child.stderr?.on('data', (chunk: Buffer) => (this.log = (this.log + chunk.toString()).slice(-200_000)));
      child.stdout?.on('data', (chunk: Buffer) => {
        if (!/^postmesh \S+ ready/m.test(chunk.toString())) return;
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
