import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { RawSmtp, sendMessage, startTestInternet, type TestInternet } from '../local-internet.fixture.js';

let internet: TestInternet;
beforeAll(async () => {
  internet = await startTestInternet();
});
afterAll(() => internet.stop());

const clients: RawSmtp[] = [];
afterEach(() => clients.splice(0).forEach((client) => client.close()));

async function greeted(): Promise<RawSmtp> {
  const client = await RawSmtp.connect(internet.sinkPort);
  clients.push(client);
  await client.command('EHLO client.test');
  return client;
}

async function stored(to: string): Promise<Record<string, unknown>[]> {
  const response = await fetch(`${internet.mailboxUrl}/api/messages?to=${encodeURIComponent(to)}`);
  return ((await response.json()) as { messages: Record<string, unknown>[] }).messages;
}

async function rawOf(id: unknown): Promise<string> {
  return (await fetch(`${internet.mailboxUrl}/api/messages/${String(id)}/raw`)).text();
}

test('offers the extensions of modern senders', async () => {
  const client = await RawSmtp.connect(internet.sinkPort);
  clients.push(client);
  const offers = await client.command('EHLO client.test');
  for (const extension of [
    'PIPELINING',
    '8BITMIME',
    'SMTPUTF8',
    'ENHANCEDSTATUSCODES',
    'STARTTLS',
    'SIZE 52428800',
  ]) {
    expect(offers).toContain(extension);
  }
  expect(offers).not.toContain('AUTH');
});

test('greets at once, not after the 100 ms that smtp-server waits', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    clients.push(await RawSmtp.connect(internet.sinkPort));
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ['bounce-1@x.test', /^550 5\.1\.1 /],
  ['Bounce.me@x.test', /^550 5\.1\.1 /],
  ['"bounce me"@x.test', /^550 5\.1\.1 /],
  ['blocked@x.test', /^550 5\.7\.1 /],
  ['full+tag@x.test', /^452 4\.2\.2 /],
  ['defer@x.test', /^451 4\./],
  ['say-552-5.2.2-mailbox-full-7@x.test', /^552 5\.2\.2 mailbox full 7/],
  ['say-552-mailbox-full@x.test', /^250 /],
  ['anybody@x.test', /^250 /],
  ['drop-later@x.test', /^250 /],
])('RCPT TO:<%s> gets the reply %s', async (address, expected) => {
  const client = await greeted();
  await client.command('MAIL FROM:<a@sender.test>');
  expect(await client.command(`RCPT TO:<${address}>`)).toMatch(expected);
  expect(await client.command(`RCPT TO:<${address}>`)).toMatch(expected);
});

test('greylist* fails on the first try, then passes, per sender domain and recipient', async () => {
  const client = await greeted();
  await client.command('MAIL FROM:<b+1@one.test>');
  expect(await client.command('RCPT TO:<greylist-a@x.test>')).toMatch(/^451 4\.7\.1 /);
  await client.command('RSET');
  await client.command('MAIL FROM:<b+2@one.test>');
  expect(await client.command('RCPT TO:<greylist-a@x.test>')).toMatch(/^250 /);
  expect(await client.command('RCPT TO:<greylist-b@x.test>')).toMatch(/^451 /);
  await client.command('RSET');
  await client.command('MAIL FROM:<b@two.test>');
  expect(await client.command('RCPT TO:<greylist-a@x.test>')).toMatch(/^451 /);
});

describe('connections that are cut', () => {
  test('drop* ends during DATA and stores nothing', async () => {
    const client = await greeted();
    await client.command('MAIL FROM:<a@sender.test>');
    await client.command('RCPT TO:<drop-1@x.test>');
    expect(await client.command('DATA')).toMatch(/^354 /);
    client.send('Subject: half\r\n\r\nand then');
    await expect(client.reply()).rejects.toThrow();
    expect(await stored('drop-1@x.test')).toEqual([]);
  });

  test('dropdot* ends after the final dot, over TLS too, and stores nothing', async () => {
    const client = await greeted();
    await client.startTls();
    await expect(
      client.deliver('a@sender.test', ['dropdot-1@x.test'], 'Subject: whole\r\n\r\n'),
    ).rejects.toThrow();
    expect(await stored('dropdot-1@x.test')).toEqual([]);
  });

  test('a sender that disconnects in the middle leaves nothing', async () => {
    const client = await greeted();
    await client.command('MAIL FROM:<a@sender.test>');
    await client.command('RCPT TO:<half@x.test>');
    await client.command('DATA');
    client.send('Subject: half\r\n');
    client.close();
    expect(await sendMessage(internet, { to: ['after-half@x.test'] })).toMatch(/^250 /);
    expect(await stored('half@x.test')).toHaveLength(1);
    expect((await stored('half@x.test'))[0]?.['to']).toEqual(['after-half@x.test']);
  });
});

test('slow* gets its reply after five seconds', async () => {
  let isReplied = false;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const reply = sendMessage(internet, { to: ['slow-1@x.test'] }).finally(() => (isReplied = true));
    await expect.poll(() => stored('slow-1@x.test')).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(4_900);
    const other = await greeted();
    expect(await other.command('NOOP')).toMatch(/^250 /);
    expect(isReplied).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(await reply).toMatch(/^250 /);
  } finally {
    vi.useRealTimers();
  }
});

test('stores a message byte for byte, dots and eight-bit included, with its envelope', async () => {
  const content = 'From: Jörg <j@sender.test>\r\nSubject: dots\r\n\r\n.leading dot\r\n..two\r\nümläut\r\n';
  expect(
    await sendMessage(internet, {
      from: 'env@sender.test',
      to: ['a-dots@x.test', 'b-dots@x.test'],
      message: content,
      tls: true,
    }),
  ).toMatch(/^250 2\.6\.0 /);
  const [message] = await stored('b-dots@x.test');
  expect(message).toMatchObject({
    envelope_from: 'env@sender.test',
    to: ['a-dots@x.test', 'b-dots@x.test'],
    subject: 'dots',
    from: 'Jörg <j@sender.test>',
    tls: true,
  });
  expect(await rawOf(message?.['id'])).toBe(`${content}\r\n`);
});

test('accepts SMTPUTF8 addresses, quoted local parts and the null sender', async () => {
  const client = await greeted();
  expect(await client.command('MAIL FROM:<> SMTPUTF8 BODY=8BITMIME')).toMatch(/^250 /);
  expect(await client.command('RCPT TO:<jürgen@bücher.test>')).toMatch(/^250 /);
  expect(await client.command('RCPT TO:<"two words @ home"@quoted.test>')).toMatch(/^250 /);
  await client.command('DATA');
  expect(await client.command('Subject: odd\r\n\r\nx\r\n.')).toMatch(/^250 /);
  const [message] = await stored('quoted.test');
  expect(message?.['to']).toEqual(['jürgen@bücher.test', '"two words @ home"@quoted.test']);
  expect(message?.['envelope_from']).toBe('');
});

test('replies to pipelined commands in order and accepts a second message after the first', async () => {
  const client = await greeted();
  client.send('MAIL FROM:<a@s.test>\r\nRCPT TO:<bounce@x.test>\r\nRCPT TO:<pipe-1@x.test>\r\nDATA\r\n');
  const replies = [await client.reply(), await client.reply(), await client.reply(), await client.reply()];
  expect(replies.map((reply) => reply.slice(0, 3))).toEqual(['250', '550', '250', '354']);
  client.send('Subject: 1\r\n\r\n1\r\n.\r\nMAIL FROM:<a@s.test>\r\nRCPT TO:<pipe-2@x.test>\r\nDATA\r\n');
  expect((await client.reply()).slice(0, 3)).toBe('250');
  for (const code of ['250', '250', '354']) expect((await client.reply()).slice(0, 3)).toBe(code);
  expect(await client.command('Subject: 2\r\n\r\n2\r\n.')).toMatch(/^250 /);
});

test('refuses a message that is declared larger than SIZE', async () => {
  const client = await greeted();
  expect(await client.command('MAIL FROM:<a@s.test> SIZE=60000000')).toMatch(/^552 /);
});

test('takes a 20 MiB message', async () => {
  const body = `${'x'.repeat(998)}\r\n`.repeat(21_000);
  expect(
    await sendMessage(internet, { to: ['large@x.test'], message: `Subject: large\r\n\r\n${body}` }),
  ).toMatch(/^250 /);
  expect((await stored('large@x.test'))[0]?.['size']).toBeGreaterThan(20_000_000);
});

test('stops with connected clients, one of them waiting', async () => {
  const own = await startTestInternet();
  const client = await RawSmtp.connect(own.sinkPort);
  await client.command('EHLO client.test');
  const late = client.deliver('a@s.test', ['slow@x.test'], 'Subject: s\r\n\r\n').catch(() => 'cut');
  const received = async () => (await (await fetch(`${own.mailboxUrl}/api/stats`)).json()) as unknown;
  await expect.poll(received).toMatchObject({ received: 1 });
  await own.stop();
  expect(await late).toBe('cut');
});
