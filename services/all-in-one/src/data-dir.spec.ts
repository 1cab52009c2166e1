import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimDataDir } from './data-dir.js';

let dir: string;
const closing: (() => unknown)[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'postmesh-claims-'));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await rm(dir, { recursive: true, force: true });
});

const pidFile = () => join(dir, 'postmesh.pid');
// the built file: a process of its own needs no test runner
const BUILT = fileURLToPath(new URL('../dist/data-dir.js', import.meta.url));
const CLAIMANT = `
  const { claimDataDir } = await import(${JSON.stringify(BUILT)});
  const { createInterface } = await import('node:readline');
  let claim;
  for await (const dir of createInterface({ input: process.stdin })) {
    await claim?.release();
    claim = undefined;
    try { claim = await claimDataDir(dir); console.log('won'); } catch (error) { console.log(error.message); }
  }`;

interface Claimant {
  pid: number;
  /** the reply to the next claim of this directory */
  claim(of: string): Promise<string>;
  kill(): Promise<unknown>;
}

/** Runs another command in a PID namespace of its own, as a container does. */
const ELSEWHERE = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
const isElsewherePossible = spawnSync(ELSEWHERE[0]!, [...ELSEWHERE.slice(1), 'true']).status === 0;

/** @param within a command that runs it */
function claimant(within: readonly string[] = []): Claimant {
  const [command, ...args] = [...within, process.execPath, '--input-type=module', '-e', CLAIMANT];
  const child = spawn(command!, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: Interface = createInterface({ input: child.stdout });
  const said = lines[Symbol.asyncIterator]();
  closing.push(() => {
    child.kill('SIGKILL');
    lines.close();
  });
  return {
    pid: child.pid ?? 0,
    async claim(of) {
      child.stdin.write(`${of}\n`);
      const { value } = await said.next();
      return String(value);
    },
    async kill() {
      // the output ends with the last process that holds it
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

describe('a data directory', () => {
  it('is claimed by exactly one of 20 processes at the same moment, in 20 rounds, after each kind of earlier claim', async () => {
    const all = Array.from({ length: 20 }, () => claimant());
    for (let round = 0; round < 20; round++) {
      const of = join(dir, String(round));
      const before = await claimDataDir(of);
      await before.release();
      // no file; the file of an ended process; one whose number another process has now; one of the release before
      const found = [undefined, '999999999 - gone', `${process.pid} long-ago/1 gone`, '999999999 stopping'][
        round % 4
      ];
      if (found !== undefined) await writeFile(join(of, 'postmesh.pid'), found);
      const said = await Promise.all(all.map((one) => one.claim(of)));
      const winner = all.filter((_one, nth) => said[nth] === 'won');
      expect(winner, said.join('\n')).toHaveLength(1);
      expect(new Set(said.filter((text) => text !== 'won'))).toEqual(
        new Set([`another Postmesh (process ${winner[0]!.pid}) already runs on ${of}`]),
      );
      expect(await readFile(join(of, 'postmesh.pid'), 'utf8')).toMatch(new RegExp(`^${winner[0]!.pid} `));
      const left = (await readdir(of)).filter((name) => name !== 'postmesh.pid');
      expect(left).toEqual([expect.stringMatching(/^postmesh\.pid\.[0-9a-f]{8}\.sock$/)]);
    }
  });

  it('is free when its process is gone, though its number belongs to another process now', async () => {
    await writeFile(pidFile(), `${process.ppid} another-boot/1 some-claim`);
    await (await claimDataDir(dir)).release();
    expect(await readdir(dir)).toEqual([]);
  });

  it.runIf(isElsewherePossible)(
    'is claimed by another container until that container has ended',
    async () => {
      const elsewhere = claimant(ELSEWHERE);
      expect(await elsewhere.claim(dir)).toBe('won');
      expect(await readFile(pidFile(), 'utf8')).toMatch(/^1 /);
      await expect(claimDataDir(dir)).rejects.toThrow(
        `another Postmesh (in another container) already runs on ${dir}`,
      );
      await elsewhere.kill();
      await (await claimDataDir(dir)).release();
      expect(await readdir(dir)).toEqual([]);
    },
  );

  it('is claimed by a process whose number means nothing in this container', async () => {
    const claim = await claimDataDir(dir);
    const [, ...rest] = (await readFile(pidFile(), 'utf8')).split(' ');
    await writeFile(pidFile(), ['999999999', ...rest].join(' '));
    await expect(claimDataDir(dir)).rejects.toThrow('(in another container) already runs on');
    await claim.release();
    await (await claimDataDir(dir)).release();
  });

  it('is claimed by a running process, also of the release before', async () => {
    await writeFile(pidFile(), String(process.ppid));
    await expect(claimDataDir(dir)).rejects.toThrow(
      `another Postmesh (process ${process.ppid}) already runs on`,
    );
    expect(await readFile(pidFile(), 'utf8')).toBe(String(process.ppid));
  });

  it('is claimed by a new start as soon as the stopping process has ended', async () => {
    const first = await claimDataDir(dir);
    await first.stopping();
    const second = claimDataDir(dir);
    await first.release();
    await (await second).release();
  });

  it('is claimed after a start that won the claim and died before it wrote its file', async () => {
    await writeFile(pidFile(), '999999999 - first');
    await writeFile(`${pidFile()}.after-first`, '999999998 - second');
    const claim = await claimDataDir(dir);
    expect((await readdir(dir)).filter((name) => !name.endsWith('.sock'))).toEqual(['postmesh.pid']);
    await claim.release();
    expect(await readdir(dir)).toEqual([]);
  });
});
