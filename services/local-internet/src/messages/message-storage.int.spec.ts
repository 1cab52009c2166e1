import { appendFile, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '@postmesh/contracts';
import { silentLogger } from '../local-internet.fixture.js';
import type { ReceivedMessage, Verdict } from './message.rules.js';
import { MessageStorage } from './message-storage.js';

const PASS: Verdict = { spf: 'pass', dkim: 'pass', dmarc: 'pass', details: { spf: '', dkim: [], dmarc: '' } };

const message = (subject: string, size: number): ReceivedMessage => ({
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
const storages: MessageStorage[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'messages-'));
});
afterEach(async () => {
  // Only now: a test reopens the folder as a killed process leaves it.
  for (const storage of storages.splice(0)) storage.close();
  await rm(folder, { recursive: true, force: true });
});

async function opened(maxMessages = 100, maxBytes = 1_000_000) {
  const storage = await MessageStorage.open({ folder, maxMessages, maxBytes, logger: silentLogger });
  storages.push(storage);
  const add = async (subject: string, size = 10): Promise<string> => {
    const added = message(subject, size);
    await storage.add(added, Buffer.alloc(size, 'x'));
    return added.id;
  };
  const subjects = (): string[] => storage.find({}, 1_000).map((found) => found.subject);
  return { storage, add, subjects };
}

const contentFiles = async (): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.eml'));

describe('stored messages', () => {
  test('are found newest first, by parts of their text in any case', async () => {
    const { storage, add } = await opened();
    await add('First order');
    await add('Second ORDER');
    await add('Greeting');
    const subjects = (filter: object, limit = 10) =>
      storage.find(filter, limit).map(({ subject }) => subject);
    expect(subjects({})).toEqual(['Greeting', 'Second ORDER', 'First order']);
    expect(subjects({ subject: 'order' })).toEqual(['Second ORDER', 'First order']);
    expect(subjects({ subject: 'order' }, 1)).toEqual(['Second ORDER']);
    expect(subjects({ to: 'two@y' })).toHaveLength(3);
    expect(subjects({ from: 'the shop' })).toHaveLength(3);
    expect(subjects({ from: 'sender@' })).toHaveLength(3);
    expect(subjects({ any: 'greet' })).toEqual(['Greeting']);
    expect(subjects({ to: 'three' })).toEqual([]);
  });

  test('beyond the maximum number are removed, oldest first, with their content', async () => {
    const { storage, add, subjects } = await opened(3);
    const ids = [await add('1'), await add('2'), await add('3'), await add('4'), await add('5')];
    expect(subjects()).toEqual(['5', '4', '3']);
    expect(await storage.raw(ids[0] ?? '')).toBeUndefined();
    expect((await storage.raw(ids[4] ?? ''))?.length).toBe(10);
  });

  test('beyond the maximum size are removed, too, but the newest stays at any size', async () => {
    const { add, subjects, storage } = await opened(100, 1_000);
    await add('1', 400);
    await add('2', 400);
    await add('3', 400);
    expect(subjects()).toEqual(['3', '2']);
    await add('large', 5_000);
    expect(subjects()).toEqual(['large']);
    expect(storage.counts()).toEqual({ received: 4, kept: 1, bytes: 5_000 });
  });

  test('are all gone after clearing', async () => {
    const { storage, add, subjects } = await opened();
    const id = await add('1');
    await storage.clear();
    expect(subjects()).toEqual([]);
    expect(await storage.raw(id)).toBeUndefined();
    expect(storage.counts()).toMatchObject({ kept: 0, bytes: 0 });
  });
});

describe('a folder of messages', () => {
  test('shows the same mailbox after a restart, also after a kill -9', async () => {
    const first = await opened();
    const ids = await Promise.all(['1', '2', '3'].map((subject) => first.add(subject)));
    first.storage.setVerdict(ids[1] ?? '', PASS);
    const again = await opened();
    expect(again.subjects().toSorted()).toEqual(['1', '2', '3']);
    expect(again.storage.get(ids[1] ?? '')?.verdict).toEqual(PASS);
    expect(again.storage.unverified().toSorted()).toEqual([ids[0], ids[2]].toSorted());
    expect((await again.storage.raw(ids[0] ?? ''))?.toString()).toBe('xxxxxxxxxx');
  });

  test('drops cleared and evicted messages, and leaves no files of them', async () => {
    const first = await opened(2);
    await first.add('1');
    await first.storage.clear();
    for (const subject of ['2', '3', '4']) await first.add(subject);
    const again = await opened(2);
    expect(again.subjects()).toEqual(['4', '3']);
    expect(await contentFiles()).toHaveLength(2);
  });

  test('survives a torn last line and files of interrupted adds', async () => {
    const first = await opened();
    await first.add('whole');
    await appendFile(join(folder, 'index.ndjson'), '\n{"message":{"id":"0199');
    await writeFile(join(folder, `${newId()}.eml`), 'an orphan');
    const again = await opened();
    expect(again.subjects()).toEqual(['whole']);
    await again.add('next');
    expect((await opened()).subjects()).toEqual(['next', 'whole']);
    expect(await contentFiles()).toHaveLength(2);
  });

  test('without the content of a message does not list it', async () => {
    const first = await opened();
    const id = await first.add('lost');
    await first.add('kept');
    await rm(join(folder, `${id}.eml`));
    expect((await opened()).subjects()).toEqual(['kept']);
  });

  test('has a bounded index, and loses nothing when it is rewritten', async () => {
    const first = await opened();
    const ids = await Promise.all(['1', '2', '3'].map((subject) => first.add(subject)));
    for (let turn = 0; turn < 9_000; turn += 1) for (const id of ids) first.storage.setVerdict(id, PASS);
    await first.add('4');
    const lines = (await readFile(join(folder, 'index.ndjson'), 'utf8')).split('\n');
    expect(lines.length).toBeLessThan(20_000);
    const again = await opened();
    expect(again.subjects().toSorted()).toEqual(['1', '2', '3', '4']);
    for (const id of ids) expect(again.storage.get(id)?.verdict).toEqual(PASS);
  });

  test('continues after a partial write of a line', async () => {
    const first = await opened();
    await appendFile(join(folder, 'index.ndjson'), '\n{"message":{"id":"0199');
    await first.add('next');
    expect((await opened()).subjects()).toEqual(['next']);
  });
});
