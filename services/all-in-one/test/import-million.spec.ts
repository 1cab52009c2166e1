import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Installation } from './installation.js';

const PROGRAM = fileURLToPath(new URL('../../../tools/postmesh.mjs', import.meta.url));
const ROWS = 1_000_000;
/** The file has 100 MB: a program that kept it, or its rows, would end here. */
const HEAP_MB = 96;
// says that a run hangs: the import alone takes some three minutes on an idle machine
const RUN_MS = 900_000;

let folder: string;
let postmesh: Installation;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postmesh-million-'));
  postmesh = await Installation.create();
  await postmesh.start();
  await postmesh.verifiedDomain('shop.example.com');
});
afterAll(async () => {
  await postmesh?.remove();
  await rm(folder, { recursive: true, force: true });
});

function* rows(): Generator<string> {
  yield 'email,created,reason,status\n';
  for (let first = 0; first < ROWS; first += 1_000) {
    const some = Array.from({ length: 1_000 }, (_, nth) => {
      const email = `person-${first + nth}@mail-${(first + nth) % 997}.test`;
      return `${email},1700000000,"550 5.1.1 <${email}>: no such user here",5.1.1\n`;
    });
    yield some.join('');
  }
}

function start(path: string) {
  const { base_url, api_key, account_id, operator_url, operator_token } = postmesh.credentials;
  return spawn(
    process.execPath,
    [
      `--max-old-space-size=${HEAP_MB}`,
      PROGRAM,
      'import',
      'sendgrid',
      'suppressions',
      path,
      '--apply',
      '--json',
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        POSTMESH_BASE_URL: base_url,
        POSTMESH_API_KEY: api_key,
        POSTMESH_ACCOUNT_ID: account_id,
        POSTMESH_OPERATOR_URL: operator_url,
        POSTMESH_OPERATOR_TOKEN: operator_token,
      },
    },
  );
}

it(
  'a million suppressions come along in bounded memory, over a kill in between',
  async () => {
    const path = join(folder, 'bounces.csv');
    await pipeline(Readable.from(rows()), createWriteStream(path));

    const began = performance.now();
    const killed = start(path);
    const ended = once(killed, 'exit');
    await expect.poll(() => existsSync(`${path}.import`), { timeout: RUN_MS, interval: 100 }).toBe(true);
    killed.kill('SIGKILL');
    await ended;
    const state = JSON.parse(await readFile(`${path}.import`, 'utf8'));
    expect(state.rows).toBeLessThan(ROWS);

    const again = start(path);
    const [output, [code]] = await Promise.all([text(again.stdout), once(again, 'exit')]);
    const seconds = (performance.now() - began) / 1_000;
    console.log(`${ROWS} suppressions in ${seconds.toFixed(0)} s, with a kill after ${state.rows} rows`);
    expect(code).toBe(0);
    const { done, refused } = JSON.parse(output);
    expect({ ...done, refused }).toMatchObject({ refused: 0, refused_by_server: 0 });
    // a part that was sent when the process ended is sent again, and changes nothing
    expect(done.added + done.unchanged).toBeGreaterThanOrEqual(ROWS);
    const imports = `/operator/messages/accounts/${postmesh.credentials.account_id}/suppression-imports`;
    const all = async () => (await postmesh.operator('GET', imports)).body.data;
    const isDone = async () => (await all()).every(({ state: now }: { state: string }) => now === 'done');
    await expect.poll(isDone, { timeout: RUN_MS, interval: 500 }).toBe(true);
    const created = (await all()).map((one: { created: number }) => one.created);
    expect(created.reduce((sum: number, count: number) => sum + count, 0)).toBe(ROWS);
  },
  RUN_MS,
);
