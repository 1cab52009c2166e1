import { spawnSync } from 'node:child_process';
import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createLogger, Metrics } from '@postmesh/observability';
import { loadSettings } from '@postmesh/settings';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AcceptProcess, type AcceptQuestion } from './accept-process.js';
import { AcceptProcesses } from './accept-processes.js';

const SETTINGS = loadSettings({});
const PORTS = { httpPort: 1, submissionPort: 2, mxPort: 3 };
const OF_MAIN = { takeTokens: () => [], sent: () => undefined };

/** The end of the main process of one that loads, starts, and answers until it hangs. */
class OtherEnd extends EventEmitter {
  hangs = false;
  readonly process = { pid: 4_711, send: () => true, kill: () => this.end('SIGKILL') };

  constructor() {
    super();
    void Promise.resolve().then(() => this.emit('message', { kind: 'loaded' }));
  }

  isConnected(): boolean {
    return true;
  }

  send({ kind }: AcceptQuestion): void {
    if (this.hangs) return;
    if (kind === 'start') this.emit('message', { kind: 'accepts', ports: PORTS });
    if (kind === 'is-alive') this.emit('message', { kind: 'alive' });
  }

  end(signal: string): boolean {
    return this.emit('exit', null, signal);
  }
}

describe('a process that accepts', () => {
  let made: OtherEnd[];
  let failingForks: number;
  beforeEach(() => {
    vi.useFakeTimers();
    made = [];
    failingForks = 0;
    vi.spyOn(cluster, 'fork').mockImplementation(() => {
      if (failingForks > 0) {
        failingForks -= 1;
        throw new Error('spawn ENOMEM');
      }
      made.push(new OtherEnd());
      return made.at(-1) as unknown as Worker;
    });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  const started = async () => {
    const accepting = new AcceptProcess('accept-1', OF_MAIN);
    await accepting.start(SETTINGS);
    return { accepting, other: made[0] as OtherEnd };
  };
  const msUntilStopped = async (accepting: AcceptProcess) => {
    const began = performance.now();
    const stopped = accepting.stop(6_700).then(() => performance.now() - began);
    await vi.advanceTimersByTimeAsync(6_700);
    return stopped;
  };

  it('has the time of a stop to answer what is under way', async () => {
    const { accepting } = await started();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await msUntilStopped(accepting)).toBe(6_400);
  });

  it('has a second of it where it hangs', async () => {
    const { accepting, other } = await started();
    await vi.advanceTimersByTimeAsync(10_000);
    other.hangs = true;
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await msUntilStopped(accepting)).toBe(1_000);
  });

  it('that cannot be made has ended, with the reason', async () => {
    failingForks = 1;
    const accepting = new AcceptProcess('accept-1', OF_MAIN);
    await expect(accepting.start(SETTINGS)).rejects.toThrow('accept-1 ended while it started (spawn ENOMEM)');
    expect(await accepting.ended).toBe('spawn ENOMEM');
    expect(accepting.isRunning).toBe(false);
    await accepting.stop(6_700);
  });

  it('is made again, ever later, until the system has room for it', async () => {
    const all = new AcceptProcesses(1, createLogger({ logLevel: 'silent' }, 'test'));
    await all.start(SETTINGS, new Metrics({ defaults: false }));
    await vi.advanceTimersByTimeAsync(90_000);
    failingForks = 4;
    made[0]?.end('SIGKILL');
    // after 0.2, 0.4, 0.8 and 1.6 s, each a fifth more or less; the next one after 3.2 s
    await vi.advanceTimersByTimeAsync(3_700);
    expect(failingForks).toBe(0);
    expect(made).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(made).toHaveLength(2);
    const stopped = all.stop(6_700);
    await vi.advanceTimersByTimeAsync(6_700);
    await stopped;
  });
});

it('a main process that may open no further file goes on', () => {
  const built = fileURLToPath(new URL('../dist/accept-process.js', import.meta.url));
  const script = `
    import { openSync } from 'node:fs';
    const { AcceptProcess } = await import(${JSON.stringify(built)});
    try { for (;;) openSync('/dev/null'); } catch {}
    const accepting = new AcceptProcess('accept-1', {});
    console.log(await accepting.ended);
    await accepting.stop(0);
    process.exit(0);`;
  const limited = ['-c', 'ulimit -n 100; exec "$0" --input-type=module --eval "$1"'];
  const { stdout, stderr } = spawnSync('sh', [...limited, process.execPath, script], { encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({
    stdout: expect.stringMatching(/^spawn .*EMFILE\n$/) as string,
    stderr: '',
  });
});
