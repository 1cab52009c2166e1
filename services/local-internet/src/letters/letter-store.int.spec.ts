import { appendFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '@postmesh/contracts';
import { silentLogger } from '../local-internet.fixture.js';
import { FolderShelf } from './folder-shelf.js';
import type { Letter, Verdict } from './letter.js';
import { MemoryShelf, type LetterShelf } from './letter-shelf.js';
import { LetterStore } from './letter-store.js';

const PASS: Verdict = { spf: 'pass', dkim: 'pass', dmarc: 'pass', details: { spf: '', dkim: [], dmarc: '' } };

const letter = (subject: string, size: number): Letter => ({
  id: newId(),
  receivedAt: new Date().toISOString(),
  envelopeFrom: 'Sender@shop.test',
  to: ['one@x.test', 'Two@y.test'],
  from: 'The Shop <news@shop.test>',
  subject,
  tls: true,
  size,
  helo: 'client.test',
  remoteAddress: '127.0.0.1',
});

let folder: string;
const shelves: LetterShelf[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'letters-'));
});
afterEach(async () => {
  // Only now: what a test opens again was left as a killed process leaves it.
  for (const shelf of shelves.splice(0)) await shelf.close();
  await rm(folder, { recursive: true, force: true });
});

async function opened(shelf: LetterShelf, keepMax = 100, keepBytes = 1_000_000) {
  shelves.push(shelf);
  const store = await LetterStore.open({ shelf, keepMax, keepBytes, logger: silentLogger });
  const add = async (subject: string, size = 10): Promise<string> => {
    const added = letter(subject, size);
    await store.add(added, Buffer.alloc(size, 'x'));
    return added.id;
  };
  const subjects = (): string[] => store.find({}, 1_000).map((found) => found.subject);
  return { store, add, subjects };
}

describe.each([
  ['in memory', async () => new MemoryShelf()],
  ['in a folder', () => FolderShelf.open(folder)],
])('letters kept %s', (_where, shelfOf) => {
  test('are found newest first, by parts of their text in any case', async () => {
    const { store, add } = await opened(await shelfOf());
    await add('First order');
    await add('Second ORDER');
    await add('Greeting');
    const subjects = (filter: object, limit = 10) => store.find(filter, limit).map(({ subject }) => subject);
    expect(subjects({})).toEqual(['Greeting', 'Second ORDER', 'First order']);
    expect(subjects({ subject: 'order' })).toEqual(['Second ORDER', 'First order']);
    expect(subjects({ subject: 'order' }, 1)).toEqual(['Second ORDER']);
    expect(subjects({ to: 'two@y' })).toHaveLength(3);
    expect(subjects({ from: 'the shop' })).toHaveLength(3);
    expect(subjects({ from: 'sender@' })).toHaveLength(3);
    expect(subjects({ any: 'greet' })).toEqual(['Greeting']);
    expect(subjects({ to: 'three' })).toEqual([]);
  });

  test('beyond the number to keep go, oldest first, and so does their content', async () => {
    const { store, add, subjects } = await opened(await shelfOf(), 3);
    const ids = [await add('1'), await add('2'), await add('3'), await add('4'), await add('5')];
    expect(subjects()).toEqual(['5', '4', '3']);
    expect(await store.raw(ids[0] ?? '')).toBeUndefined();
    expect((await store.raw(ids[4] ?? ''))?.length).toBe(10);
  });

  test('beyond the size to keep go as well, but the newest stays whatever its size', async () => {
    const { add, subjects, store } = await opened(await shelfOf(), 100, 1_000);
    await add('1', 400);
    await add('2', 400);
    await add('3', 400);
    expect(subjects()).toEqual(['3', '2']);
    await add('large', 5_000);
    expect(subjects()).toEqual(['large']);
    expect(store.counts()).toEqual({ received: 4, kept: 1, bytes: 5_000 });
  });

  test('are all gone after clearing', async () => {
    const { store, add, subjects } = await opened(await shelfOf());
    const id = await add('1');
    await store.clear();
    expect(subjects()).toEqual([]);
    expect(await store.raw(id)).toBeUndefined();
    expect(store.counts()).toMatchObject({ kept: 0, bytes: 0 });
  });
});

describe('a folder of letters', () => {
  test('shows the same mailbox after a restart, also one without a goodbye', async () => {
    const first = await opened(await FolderShelf.open(folder));
    const ids = await Promise.all(['1', '2', '3'].map((subject) => first.add(subject)));
    await first.store.judge(ids[1] ?? '', PASS);
    const again = await opened(await FolderShelf.open(folder));
    expect(again.subjects().toSorted()).toEqual(['1', '2', '3']);
    expect(again.store.get(ids[1] ?? '')?.verdict).toEqual(PASS);
    expect(again.store.unjudged().toSorted()).toEqual([ids[0], ids[2]].toSorted());
    expect((await again.store.raw(ids[0] ?? ''))?.toString()).toBe('xxxxxxxxxx');
  });

  test('forgets what was cleared or pushed out, and leaves no files of it', async () => {
    const first = await opened(await FolderShelf.open(folder), 2);
    await first.add('1');
    await first.store.clear();
    for (const subject of ['2', '3', '4']) await first.add(subject);
    const again = await opened(await FolderShelf.open(folder), 2);
    expect(again.subjects()).toEqual(['4', '3']);
    expect((await readdir(folder)).filter((name) => name.endsWith('.eml'))).toHaveLength(2);
  });

  test('survives a torn last line and files of interrupted puts', async () => {
    const first = await opened(await FolderShelf.open(folder));
    await first.add('whole');
    await appendFile(join(folder, 'letters.jsonl'), '{"letter":{"id":"0199');
    await writeFile(join(folder, `${newId()}.eml`), 'nobody knows me');
    const again = await opened(await FolderShelf.open(folder));
    expect(again.subjects()).toEqual(['whole']);
    await again.add('next');
    expect((await opened(await FolderShelf.open(folder))).subjects()).toEqual(['next', 'whole']);
    expect((await readdir(folder)).filter((name) => name.endsWith('.eml'))).toHaveLength(2);
  });

  test('without the content of a letter does not list it', async () => {
    const first = await opened(await FolderShelf.open(folder));
    const id = await first.add('lost');
    await first.add('kept');
    await rm(join(folder, `${id}.eml`));
    expect((await opened(await FolderShelf.open(folder))).subjects()).toEqual(['kept']);
  });
});
