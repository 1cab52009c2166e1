import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '@postmesh/contracts';
import { freePort } from '@postmesh/testing';

const START_MS = 90_000;

/** Services that others ask, under their own name. */
const NEIGHBOURS = ['accounts', 'domains', 'messages', 'marketing', 'webhooks', 'webhook-dispatcher'];

export interface Member {
  name: string;
  url: string;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Every service as a process of its own, as in production: they find each other by URL. */
export class Fleet {
  private readonly children = new Map<string, ChildProcess>();
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
    await this.untilReady(name, child);
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
      const fail = (why: string) => reject(new Error(`${name} ${why}:\n${this.output}`));
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
