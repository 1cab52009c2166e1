import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '@postmesh/testing';
import { headerOf, MailHost } from '../testing/mail-host.js';
import { startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';

const database = testDatabase();
let host: MailHost;
let worker: WorkerUnderTest;

beforeAll(async () => {
  host = await MailHost.start();
  const settings = { retryDelaysSeconds: ['0.1', '0.1', '0.1'] };
  worker = await startWorker({ databaseUrl: database.url, port: host.port, settings });
});
afterAll(async () => {
  await worker?.stop();
  await host?.stop();
});
afterEach(() => {
  host.messages.length = 0;
  host.manners = {};
});

const TWO = ['ann@mail.test', 'bob@mail.test'];
const RAW = 'Received: by smtp.test with ESMTPSA id 1; x\r\nFrom: a@shop.test\r\nMessage-ID: <1@client>\r\n';
const HTML = `${RAW}Content-Type: text/html; charset=utf-8\r\n\r\n<a href="https://shop.test/">\u00c3\u00bc</a>\r\n`;

describe('a message that a client composed', () => {
  it('is the same for all recipients, signed once, its bytes beyond ASCII as they were', async () => {
    const raw = `${RAW}\r\n.\r\n\u00c3\u00bc \u00ff\r\n`;
    const ids = await worker.accept({ raw, to: TWO });
    await Promise.all(ids.map((id) => worker.outcome(id, 'delivered')));
    const [one, other] = host.messages;
    expect(one!.text).toBe(other!.text);
    expect(headerOf(one!, 'DKIM-Signature')).toMatch(/:feedback-id:\s*cfbl-address/);
    expect(headerOf(one!, 'Message-ID')).toBe('<1@client>');
    expect(one!.text.slice(one!.text.indexOf('\r\n\r\n'))).toMatch(/^\r\n\r\n\.\r\n\S+ .\r\n$/);
    expect(one!.sender).not.toBe(other!.sender);
  });

  it('has pixel and links of each recipient in its HTML, the same at a retry', async () => {
    host.manners = { accept: () => (host.messages.length <= 2 ? '451 4.3.0 later' : undefined) };
    const ids = await worker.accept({ raw: HTML, to: TWO, tracking: { open: true, click: true } });
    await Promise.all(ids.map((id) => worker.outcome(id, 'delivered')));
    const of = (recipient: string) =>
      host.messages
        .filter((message) => message.recipient === recipient)
        .map(({ text }) => text.slice(text.indexOf('\r\n\r\n')));
    const [ann = [], bob = []] = TWO.map(of);
    expect([new Set(ann).size, new Set(bob).size]).toEqual([1, 1]);
    expect(ann[0]).not.toBe(bob[0]);
    expect(ann[0]).toMatch(/\/c\/[^]*\/o\//);
  });
});

describe('a report', () => {
  it('leaves with the null sender', async () => {
    const [id] = await worker.accept({ raw: `${RAW}\r\nhello\r\n`, nullSender: true });
    await worker.outcome(id!, 'delivered');
    expect(host.messages).toMatchObject([{ sender: '' }]);
  });
});
