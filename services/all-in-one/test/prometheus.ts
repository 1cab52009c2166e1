import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@postmesh/database';
import { vi } from 'vitest';

const CONFIGURATION = fileURLToPath(
  new URL('../../../deploy/observability/prometheus.all-in-one.yml', import.meta.url),
);
const RULES = fileURLToPath(new URL('../../../deploy/helm/postmesh/files/alerts.yml', import.meta.url));

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [at: number, value: string];
}

interface RuleGroup {
  readonly rules: readonly { name: string; health: string; lastError?: string; state: string }[];
}

/** A real Prometheus with the configuration of deploy, which scrapes every second. */
export class Prometheus {
  private constructor(
    private readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** @param program its path @param target host and port with `/metrics` */
  static async start(program: string, target: string): Promise<Prometheus> {
    const folder = await mkdtemp(join(tmpdir(), 'postmesh-prometheus-'));
    const port = await freePort();
    const file = join(folder, 'prometheus.yml');
    await writeFile(file, await configurationFor(target));
    const child = spawn(
      program,
      [
        `--config.file=${file}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=error',
      ],
      { stdio: 'ignore' },
    );
    const prometheus = new Prometheus(`http://127.0.0.1:${port}`, child, folder);
    try {
      await vi.waitFor(() => prometheus.isReady(), { timeout: 60_000, interval: 200 });
      return prometheus;
    } catch (error) {
      await prometheus.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  async query(query: string): Promise<readonly Sample[]> {
    const found = await this.ask<{ result: readonly Sample[] }>(`query?query=${encodeURIComponent(query)}`);
    return found.result;
  }

  /** Metrics that targets expose, also those without a value now. */
  async metrics(): Promise<Set<string>> {
    return new Set(Object.keys(await this.ask<Record<string, unknown>>('metadata')));
  }

  async rules(): Promise<RuleGroup['rules']> {
    const { groups } = await this.ask<{ groups: readonly RuleGroup[] }>('rules');
    return groups.flatMap(({ rules }) => rules);
  }

  private async isReady(): Promise<void> {
    const { status } = await fetch(`${this.url}/-/ready`);
    if (status !== 200) throw new Error(`Prometheus is not ready: ${status}`);
  }

  private async ask<D>(path: string): Promise<D> {
    const response = await fetch(`${this.url}/api/v1/${path}`);
    const body = (await response.json()) as { status: string; data: D; error?: string };
    if (body.status !== 'success') throw new Error(`${path}: ${body.error}`);
    return body.data;
  }
}

async function configurationFor(target: string): Promise<string> {
  return (await readFile(CONFIGURATION, 'utf8'))
    .replaceAll(/_interval: 15s/g, '_interval: 1s')
    .replace('../helm/postmesh/files/alerts.yml', RULES)
    .replace('127.0.0.1:8081', target);
}
