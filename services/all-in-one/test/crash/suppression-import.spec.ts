import { afterAll, beforeAll, expect, it } from 'vitest';
import { Installation } from '../installation.js';

const LINES = 20_000;
const KILLS = 3;

let postmesh: Installation;
beforeAll(async () => {
  postmesh = await Installation.create();
  await postmesh.start();
  await postmesh.api('POST', '{A}/domains', { domain: 'import.test' });
});
afterAll(() => postmesh?.remove());

const status = async (id: string) =>
  (await postmesh.operator('GET', `/operator/messages/suppression-imports/${id}`)).body;

it('an import that is killed goes on where it was, and takes no line twice', async () => {
  const { operator_url, operator_token, account_id } = postmesh.credentials;
  const lines = Array.from({ length: LINES }, (_, n) => (n % 1_000 === 7 ? 'nonsense' : `r${n}@mail.test`));
  const uploaded = await fetch(
    `${operator_url}/operator/messages/accounts/${account_id}/suppression-imports`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${operator_token}`, 'content-type': 'text/csv' },
      body: `email\n${lines.join('\n')}`,
    },
  );
  expect(uploaded.status).toBe(202);
  const { id } = (await uploaded.json()) as { id: string };
  const cut: number[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = await status(id);
    // a start takes a while, and the import goes on with it
    if (before.state === 'done') break;
    const done = async () => (await status(id)).lines_done;
    await expect.poll(done, { timeout: 60_000, interval: 20 }).toBeGreaterThan(before.lines_done);
    cut.push(await done());
    await postmesh.stop('SIGKILL');
    await postmesh.start();
  }
  expect(cut[0]).toBeLessThan(LINES);
  await expect.poll(async () => (await status(id)).state, { timeout: 90_000, interval: 200 }).toBe('done');
  expect(await status(id)).toMatchObject({
    lines: LINES,
    lines_done: LINES,
    created: LINES - LINES / 1_000,
    extended: 0,
    unchanged: 0,
    errors: LINES / 1_000,
  });
  const wiped = await postmesh.api('DELETE', '{A}/suppressions/all');
  expect(wiped.body).toEqual({ message: 'all suppressions deleted' });
}, 240_000);
