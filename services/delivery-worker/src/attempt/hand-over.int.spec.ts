import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verpAddress } from '@postmesh/mail-format';
import { reportAddressKeys } from '@postmesh/secrets';
import { loadSettings } from '@postmesh/settings';
import { testDatabase } from '@postmesh/testing';
import { SMTP_TIMEOUTS } from '../smtp-client/timeouts.js';
import { MailHost } from '../testing/mail-host.js';
import { aaaa, a, mx, NameServer } from '../testing/name-server.js';
import type { Peer } from '../testing/scripted-server.js';
import { startWorker, type WorkerUnderTest } from '../testing/worker-under-test.js';

// proven again: each reply of a mail host to each command

const database = testDatabase();
const KEY = 'a secret key of thirty-two bytes.';
let dns: NameServer;
let host: MailHost;
let second: MailHost;
let worker: WorkerUnderTest;

/**
 * `two<…>.test` has a second, worse host on 127.0.0.2, `second<…>.test` only that; `refuses<…>.test` one that does not
 * listen.
 */
const zone = (name: string, type: string) => {
  if (type === 'MX' && name.startsWith('two'))
    return [mx(name, `one.${name}`, 10), mx(name, `other.${name}`, 20)];
  if (type === 'MX') return [mx(name, `one.${name}`, 10)];
  if (type === 'AAAA') return name === 'never.test' ? [aaaa(name, '::1')] : [];
  if (type !== 'A') return [];
  return [
    a(name, /^other|second/.test(name) ? '127.0.0.2' : name.includes('refuses') ? '127.0.0.9' : '127.0.0.1'),
  ];
};

beforeAll(async () => {
  dns = await NameServer.start(zone);
  host = await MailHost.start();
  second = await MailHost.start({}, { address: '127.0.0.2', port: host.port });
  worker = await startWorker({
    ...{ databaseUrl: database.url, port: host.port, dns },
    settings: { secretKeys: [KEY], ehloName: 'mta.service.example', deliveryPerDestination: 2 },
  });
});
afterAll(async () => {
  await worker?.stop();
  await Promise.all([host?.stop(), second?.stop(), dns?.stop()]);
});
afterEach(() => {
  for (const one of [host, second]) {
    one.manners = {};
    one.messages.length = 0;
  }
});

let counted = 0;
const unique = (label: string) => `${label}${(counted += 1)}.test`;
const ended = (id: string) => worker.until(() => worker.published.find((one) => one.message_id === id));
const send = async (domain = unique('mail')) => {
  const [id] = await worker.accept({ to: [`ann@${domain}`] });
  return ended(id!);
};
const on = (verb: string, reply: string) => ({
  reply: (line: string) => (line.startsWith(verb) ? reply : undefined),
});

describe('spec 2-messages §13 rule 5: a message with a header in UTF-8, at a server without SMTPUTF8', () => {
  const raw = (...lines: string[]) =>
    Buffer.from(['From: news@shop.test', ...lines, '', 'x', ''].join('\r\n')).toString('latin1');
  const outcomes = async (message: string, to: string[]) => {
    const ids = await worker.accept({ to, raw: message });
    return Promise.all(ids.map(async (id) => (await ended(id)).outcome));
  };

  it('goes in ASCII to a recipient in ASCII, and bounces for the other alone', async () => {
    const domain = unique('plain');
    const message = raw('To: Zoë <jürgen@mail.test>, ann@mail.test', 'Subject: Grüße');
    expect(await outcomes(message, [`ann@${domain}`, `jürgen@${domain}`])).toEqual(['delivered', 'bounced']);
    const [{ text }] = host.messages as [(typeof host.messages)[0]];
    expect(host.recipients).toEqual([`ann@${domain}`]);
    expect(text).toContain('To: =?UTF-8?B?Wm/DqyA8asO8cmdlbkBtYWlsLnRlc3Q+?= :;, ann@mail.test\r\n');
    expect(text).toContain('Subject: =?UTF-8?B?R3LDvMOfZQ==?=\r\n');
  });

  it('bounces where its meaning would change', async () => {
    expect(await outcomes(raw('Reply-To: jürgen@mail.test'), [`ann@${unique('plain')}`])).toEqual([
      'bounced',
    ]);
    expect(host.messages).toEqual([]);
  });

  it('stays as it is where the server offers SMTPUTF8', async () => {
    second.manners = on('EHLO', '250-mx.test\r\n250-8BITMIME\r\n250 SMTPUTF8');
    expect(await outcomes(raw('Subject: Grüße'), [`ann@${unique('second')}`])).toEqual(['delivered']);
    expect(Buffer.from(second.messages[0]!.text, 'latin1').toString()).toContain('Subject: Grüße\r\n');
  });
});

describe('spec 2-messages §14 rule 2 how hosts are spoken to', () => {
  it('spec 2-messages §14 rule 2 on port 25, within its times', () => {
    expect(loadSettings({}).remoteSmtpPort).toBe(25);
    expect(SMTP_TIMEOUTS).toMatchObject({
      ...{ connectMs: 30_000, bannerMs: 60_000, greetingMs: 60_000, envelopeMs: 120_000, dataMs: 300_000 },
    });
  });

  it('spec 2-messages §14 rule 2 EHLO names the service, and a connection carries more than one message', async () => {
    const peers = new Set<Peer>();
    host.manners = {
      reply: (_line, peer) => {
        peers.add(peer);
        return undefined;
      },
    };
    const domain = unique('mail');
    for (let nth = 0; nth < 3; nth++) expect(await send(domain)).toMatchObject({ outcome: 'delivered' });
    expect(peers.size).toBe(1);
    for (const { transcript } of peers) expect(transcript[0]).toBe('EHLO mta.service.example');
  });

  it('spec 2-messages §14 rule 2 connections to a destination are bounded', async () => {
    const peers = new Set<Peer>();
    const slowly = () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 20));
    host.manners = {
      accept: (_message, peer) => {
        peers.add(peer);
        return slowly();
      },
    };
    const domain = unique('mail');
    const ids = await worker.accept({ to: Array.from({ length: 30 }, (_, nth) => `r${nth}@${domain}`) });
    for (const id of ids) await worker.outcome(id, 'delivered');
    expect(peers.size).toBeLessThanOrEqual(2);
  });

  it('spec 2-messages §14 rule 2 STARTTLS that is not offered is not needed', async () => {
    expect(await send()).toMatchObject({ outcome: 'delivered', tls: false });
  });
});

describe('spec 2-messages §14 rule 3 the envelope sender', () => {
  it('spec 2-messages §14 rule 3 names the record in a token that only we can make', async () => {
    const published = await send();
    const { sender } = host.messages[0]!;
    expect(sender).toMatch(/^b\+[a-z2-7]+@rp\.shop\.test$/);
    const [key = ''] = reportAddressKeys([KEY]);
    expect(sender).toBe(verpAddress(published.message_id, 'rp.shop.test', key));
    // a key for this purpose only: the secret itself signs nothing
    expect(sender).not.toBe(verpAddress(published.message_id, 'rp.shop.test', KEY));
  });

  it('spec 2-messages §14 rule 3 is at the bounce host of the service while the domain has none', async () => {
    const event = await worker.message({ to: [`ann@${unique('mail')}`] });
    await worker.bus.publish([{ ...event, data: { ...event.data, return_path_host: '' } }]);
    await ended(event.data.send_request_id);
    expect(host.messages[0]?.sender).toMatch(/^b\+[a-z2-7]+@rp\.postmesh\.test$/);
  });
});

describe('spec 2-messages §14 rule 4 what replies mean', () => {
  it.each([
    ['MAIL', '550 5.1.8 no', 'MAIL FROM'],
    ['RCPT', '550 5.1.1 no such user', 'RCPT TO'],
    ['RCPT', '553 5.1.3 no', 'RCPT TO'],
    ['DATA', '554 5.7.1 no', 'DATA'],
  ])('spec 2-messages §14 rule 4 %s %s bounces at once, at the first host', async (verb, reply, command) => {
    host.manners = on(verb, reply);
    expect(await send(unique('two'))).toMatchObject({
      ...{ outcome: 'bounced', attempt: 1, next_attempt_at: null },
      reply: { smtp_code: Number(reply.slice(0, 3)), command },
    });
    expect(second.messages).toEqual([]);
  });

  it('spec 2-messages §14 rule 4 a 5xx to the message bounces at once', async () => {
    host.manners = { accept: () => '552 5.2.3 too big' };
    expect(await send(unique('two'))).toMatchObject({ outcome: 'bounced', reply: { smtp_code: 552 } });
    expect(second.messages).toEqual([]);
  });

  it('spec 2-messages §14 rule 4 5xx to the greeting: the next host', async () => {
    host.manners = { reply: (line) => (/^(EHLO|HELO)/.test(line) ? '554 5.7.1 no' : undefined) };
    const domain = unique('two');
    expect(await send(domain)).toMatchObject({ outcome: 'delivered', remote_host: `other.${domain}` });
  });

  it('spec 2-messages §14 rule 4 5xx to the greeting of all hosts bounces', async () => {
    const refuses = { reply: (line: string) => (/^(EHLO|HELO)/.test(line) ? '554 5.7.1 no' : undefined) };
    host.manners = refuses;
    second.manners = refuses;
    expect(await send(unique('two'))).toMatchObject({
      ...{ outcome: 'bounced', reply: { smtp_code: 554, command: 'EHLO' } },
    });
  });

  it('spec 2-messages §14 rule 4 5xx to STARTTLS: in clear text', async () => {
    host.manners = {
      reply: (line, { transcript }) =>
        line === 'STARTTLS'
          ? '554 5.7.0 no'
          : line.startsWith('EHLO') && transcript.length === 1
            ? '250-mx.test\r\n250 STARTTLS'
            : undefined,
    };
    expect(await send()).toMatchObject({ outcome: 'delivered', tls: false });
  });

  it.each([
    ['421 to the greeting', on('EHLO', '421 4.3.2 busy')],
    ['451 to MAIL', on('MAIL', '451 4.3.0 later')],
    ['450 to RCPT', on('RCPT', '450 4.2.0 later')],
    ['452 to the message', { accept: () => '452 4.3.1 later' }],
    ['a reset', on('MAIL', 'drop')],
  ])('spec 2-messages §14 rule 4 %s of all hosts defers', async (_what, manners) => {
    host.manners = manners;
    second.manners = manners;
    expect(await send(unique('two'))).toMatchObject({ outcome: 'deferred', attempt: 1 });
  });

  it('spec 2-messages §14 rule 4 a refused connection defers', async () => {
    expect(await send(unique('refuses'))).toMatchObject({
      ...{ outcome: 'deferred', reply: { smtp_code: 0, command: 'CONNECT' } },
    });
  });
});
