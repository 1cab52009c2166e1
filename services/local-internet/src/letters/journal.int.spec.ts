import { mkdtemp, rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Journal } from './journal.js';

let path: string;
beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'journal-')), 'lines.jsonl');
});
afterEach(() => rm(join(path, '..'), { recursive: true, force: true }));

test('a line that was appended is in the file, in order', async () => {
  const journal = await Journal.startWith(path, [{ at: 0 }]);
  await Promise.all([1, 2, 3].map((at) => journal.append({ at })));
  expect(await Journal.read(path)).toEqual([{ at: 0 }, { at: 1 }, { at: 2 }, { at: 3 }]);
  expect(journal.lines).toBe(4);
  await journal.close();
});

test('lines appended while the file is written anew are not lost', async () => {
  const journal = await Journal.startWith(path, []);
  const known: { at: number }[] = [];
  const append = (at: number): Promise<void> => {
    known.push({ at });
    return journal.append({ at });
  };
  const appended = Array.from({ length: 50 }, (_, at) => append(at));
  const rewritten = journal.rewrite(() => [...known]);
  // Some before the new file is begun, some while it is written, some after.
  for (let at = 50; at < 100; at += 1) {
    appended.push(append(at));
    await nextTurn();
  }
  await Promise.all([...appended, rewritten]);
  const lines = await Journal.read(path);
  for (const line of known) expect(lines).toContainEqual(line);
  await journal.append({ last: true });
  expect((await Journal.read(path)).at(-1)).toEqual({ last: true });
  await journal.close();
});

test('a journal that does not exist yet has no lines', async () => {
  expect(await Journal.read(path)).toEqual([]);
});
