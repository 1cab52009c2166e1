import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import type { BlobStore } from '@postmesh/blob-store';
import { AccountId, newId, type MessageId, type Principal } from '@postmesh/contracts';
import { parseMessage } from '@postmesh/mail-format';
import { BLOB_STORE } from '@postmesh/service-host';
import { startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { submissionCalls } from '../testing/submissions-under-test.js';
import { DOMAIN } from '../testing/domain.js';
import { MessagesRepository } from './messages.repository.js';
import { ReadMessage } from './read-message.js';
import { StoredContents } from './stored-contents.js';

const database = testDatabase();
let messages: TestService;
beforeAll(async () => {
  messages = await startTestService(MESSAGES_SERVICE, {
    databaseUrl: database.url,
    neighbours: {
      domains: () => ({ status: 200, body: DOMAIN }),
      'delivery-worker': () => ({ status: 404, body: {} }),
    },
  });
});
afterAll(() => messages?.stop());

const path = () => `/v2/accounts/${messages.accountId}/messages`;

async function send(fields: object): Promise<string> {
  const { status, body } = await messages.call('POST', `${path()}/conversation`, {
    body: {
      from: { email: 'a@shop.test' },
      to: [{ email: 'b@mail.test' }],
      subject: 'Hello',
      ...fields,
    },
  });
  expect(status).toBe(202);
  return body.data[0].id as string;
}

const MIB = 1024 * 1024;
const attachment = (name: string, bytes: number, more: object = {}) => ({
  file_name: name,
  content_type: 'application/pdf',
  base64: true,
  data: randomBytes(bytes).toString('base64'),
  ...more,
});

/** The response of a client, and the peak of memory meanwhile. */
async function readCounted(id: string) {
  const blobs = messages.service.get<BlobStore>(BLOB_STORE);
  const reading = messages.service.get(ReadMessage);
  const { get, stream } = blobs;
  const fetched: number[] = [];
  let streamed = 0;
  const counting = async function* (slices: AsyncIterable<Buffer>) {
    for await (const slice of slices) {
      streamed += slice.length;
      yield slice;
    }
  };
  blobs.stream = (...of) => Readable.from(counting(stream.apply(blobs, of)), { objectMode: false });
  blobs.get = async (ids) => {
    const found = await get.call(blobs, ids);
    for (const bytes of found.values()) fetched.push(bytes.length);
    return found;
  };
  try {
    const used = process.cpuUsage();
    const turns = monitorEventLoopDelay({ resolution: 1 });
    turns.enable();
    const read = await reading.execute({ principal: READER(), reference: id });
    if (!('json' in read)) throw new Error('a large message is streamed');
    const pieces: Buffer[] = [];
    let counted = 0;
    for await (const piece of read.json as AsyncIterable<Buffer>) {
      pieces.push(piece);
      counted = Math.max(counted, reading.bytesInUse);
    }
    expect(reading.bytesInUse).toBe(0);
    const { user, system } = process.cpuUsage(used);
    turns.disable();
    console.log(
      `read with ${Math.round((user + system) / 1_000)} ms of CPU, at most ${Math.round(turns.max / 1e6)} ms at a time`,
    );
    return {
      text: Buffer.concat(pieces).toString(),
      counted,
      fetchedWhole: fetched.length,
      streamed,
      largestPiece: Math.max(...pieces.map(({ length }) => length)),
    };
  } finally {
    Object.assign(blobs, { get, stream });
  }
}

const READER = (): Principal =>
  ({
    account_id: AccountId.parse(messages.accountId),
    scopes: ['*'],
    account: { parent_account_id: null },
  }) as Principal;

/** The contents composed as a whole: the message, then its parts. */
async function wholeContents(reference: string) {
  const id = /[0-9a-f-]{36}/.exec(reference)?.[0] as MessageId;
  const stored = await messages.service.get(MessagesRepository).find(id);
  const used = process.cpuUsage();
  const raw = await messages.service.get(StoredContents).read(stored!);
  const whole = { content: raw?.toString('utf8'), content_parsed: await parseMessage(raw!) };
  const bytes = Buffer.from(JSON.stringify(whole));
  const { user, system } = process.cpuUsage(used);
  console.log(
    `made whole with ${Math.round((user + system) / 1_000)} ms of CPU, ${bytes.length} bytes of JSON`,
  );
  return whole;
}

/** `toEqual` would print megabytes. */
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

it('a message of 19 MB is read from the store in slices, and written in pieces', async () => {
  const id = await send({
    text_content: 'Grüße',
    html_content: '<p>Grüße <img src="cid:logo@shop"></p>',
    attachments: [
      attachment('first.pdf', 6_000_001),
      attachment('logo.png', 90_000, {
        content_type: 'image/png',
        content_disposition: 'inline',
        content_id: '<logo@shop>',
      }),
      attachment('list.csv', 40_000, { content_type: 'text/csv' }),
      attachment('second.pdf', 7_000_000),
      attachment('tiny.pdf', 300),
    ],
  });
  const { text, counted, fetchedWhole, streamed, largestPiece } = await readCounted(id);
  const { content, content_parsed } = JSON.parse(text);
  const whole = await wholeContents(id);
  expect(content.length).toBeGreaterThan(17_500_000);
  expect(same(content, whole.content)).toBe(true);
  expect(same(content_parsed, whole.content_parsed)).toBe(true);
  expect(content_parsed.attachments.map(({ filename }: { filename: string }) => filename).toSorted()).toEqual(
    ['first.pdf', 'list.csv', 'logo.png', 'second.pdf', 'tiny.pdf'],
  );
  console.log(`${text.length} characters of JSON: ${counted} bytes counted, pieces of up to ${largestPiece}`);
  expect(fetchedWhole).toBe(0);
  // once from the message, once from the files, and some slices of readahead; none for its outline
  console.log(`${streamed} bytes came from the store`);
  expect(streamed).toBeLessThan(2.6 * 13_130_300);
  expect(counted).toBeLessThan(3 * MIB);
  expect(largestPiece).toBeLessThan(MIB);
  const { status, body } = await messages.call('GET', `${path()}/${encodeURIComponent(id)}`);
  expect(status).toBe(200);
  expect(same(body, JSON.parse(text))).toBe(true);
});

it('one that its sender composed is in memory once', async () => {
  const base64 = (bytes: number) => randomBytes(bytes).toString('base64').replace(/.{76}/g, '$&\r\n');
  const part = (head: string[], body: string) => ['--b', ...head, '', body].join('\r\n');
  const raw = [
    'From: a@shop.test',
    'To: ann@mail.test',
    'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    part(['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit'], 'Grüße 😀'),
    part(
      ['Content-Type: application/zip; name="a.zip"', 'Content-Transfer-Encoding: BASE64'],
      base64(5_000_000),
    ),
    part(
      ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64'],
      Buffer.from('ü'.repeat(30_000)).toString('base64'),
    ),
    part(
      [
        'Content-Type: image/png',
        'Content-ID: <x@y>',
        'Content-Disposition: inline',
        'Content-Transfer-Encoding: base64',
      ],
      base64(5_000_000),
    ),
    '--b--',
    '',
  ].join('\r\n');
  const stored = await submissionCalls(messages).submit(raw);
  if (!stored.ok) throw new Error(stored.reply.text);
  const { text, counted, largestPiece } = await readCounted(stored.id);
  const { content, content_parsed } = JSON.parse(text);
  const whole = await wholeContents(stored.id);
  expect(same(content, whole.content)).toBe(true);
  expect(same(content_parsed, whole.content_parsed)).toBe(true);
  expect(content_parsed.attachments).toHaveLength(2);
  expect(counted).toBeLessThan(15 * MIB);
  expect(largestPiece).toBeLessThan(MIB);
});

/** The most readers that had a large text in memory at once. */
async function readAtOnce(id: string, times: number): Promise<number> {
  const contents = messages.service.get(StoredContents);
  const reading = messages.service.get(ReadMessage);
  const { outline } = contents;
  let most = 0;
  contents.outline = async (message) => {
    const made = await outline.call(contents, message);
    most = Math.max(most, reading.bytesInUse / message.size);
    return made;
  };
  try {
    const requests = Array.from({ length: times }, () =>
      messages.call('GET', `${path()}/${encodeURIComponent(id)}`),
    );
    for (const { status, body } of await Promise.all(requests)) {
      expect([status, body.content_parsed?.parts.length]).toEqual([200, 1]);
    }
    return most;
  } finally {
    contents.outline = outline;
  }
}

/** Milliseconds of sequential requests of another account until `until` resolves; at least ten. */
async function waitsBeside(until: Promise<unknown>): Promise<number[]> {
  const account_id = newId();
  const waits: number[] = [];
  let isOver = false;
  const end = () => (isOver = true);
  void until.then(end, end);
  while (!isOver || waits.length < 10) {
    const begun = performance.now();
    const { status } = await messages.call('GET', `/v2/accounts/${account_id}/messages`, { account_id });
    expect(status).toBe(200);
    waits.push(Math.round(performance.now() - begun));
  }
  return waits.toSorted((one, other) => one - other);
}

it('large contents are read within the bytes that one account may have', async () => {
  const { largeBytes } = messages.context.settings;
  // more than half of the account's share, so that no two of them are read together
  const large = await send({ text_content: 'x'.repeat(Math.ceil(largeBytes * 0.35)) });
  const alone = await waitsBeside(Promise.resolve());
  const reading = readAtOnce(large, 3);
  const beside = await waitsBeside(reading);
  // the clients of the large ones parse 35 MB each in the same event loop
  const shown = (waits: number[]) => `${waits[waits.length >> 1]} ms, at most ${waits.at(-1)} ms`;
  console.log(
    `another account: ${shown(alone)}; beside three reads of ${largeBytes * 0.35} bytes ${shown(beside)}`,
  );
  expect(await reading).toBe(1);
});
