import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { RawSmtp, startTestInternet, type TestInternet } from '../local-internet.fixture.js';
import { HOUSES } from './houses.table.js';

let internet: TestInternet;
beforeAll(async () => {
  internet = await startTestInternet();
});
afterAll(() => internet.stop());

const clients: RawSmtp[] = [];
const changed = new Set<string>();
afterEach(async () => {
  clients.splice(0).forEach((client) => client.close());
  for (const name of changed) await api('DELETE', name);
  changed.clear();
});

const addressOf = (name: string): string =>
  `127.25.0.${HOUSES.findIndex((house) => house.name === name) + 1}`;

async function api(
  method: string,
  name: string,
  body?: object,
): Promise<any> /* eslint-disable-line typescript/no-explicit-any */ {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const response = await fetch(`${internet.mailboxUrl}/api/houses/${name}`, init);
  return response.status === 204 ? undefined : response.json();
}

async function change(name: string, script: object): Promise<void> {
  changed.add(name);
  await api('PUT', name, script);
}

const dial = (name: string): RawSmtp => {
  changed.add(name);
  const client = RawSmtp.dial(internet.sinkPort, addressOf(name));
  clients.push(client);
  return client;
};

/** Connects and expects a greeting. */
async function greeted(name: string): Promise<RawSmtp> {
  const client = dial(name);
  expect(await client.reply()).toMatch(/^220[ -]/);
  await client.command('EHLO client.test');
  return client;
}

const deliver = (client: RawSmtp, name: string, local = 'a') =>
  client.deliver('s@sender.test', [`${local}@${name}.houses.test`], 'Subject: x\r\n\r\nx');

async function storedAt(address: string): Promise<number> {
  const response = await fetch(`${internet.mailboxUrl}/api/messages?to=${encodeURIComponent(address)}`);
  return ((await response.json()) as { messages: unknown[] }).messages.length;
}

describe('a house under load', () => {
  test('googleish: 421 4.7.28 above its rate, in several lines, and the connection ends', async () => {
    await change('googleish', { rate: { messages: 2 } });
    const client = await greeted('googleish');
    expect([await deliver(client, 'googleish'), await deliver(client, 'googleish')]).toEqual([
      expect.stringMatching(/^250 /),
      expect.stringMatching(/^250 /),
    ]);
    expect(await deliver(client, 'googleish')).toMatch(
      /^421-4\.7\.28 .+\r\n421-4\.7\.28 .+\r\n421 4\.7\.28 /,
    );
    await expect(client.reply()).rejects.toThrow('closed');
    await expect.poll(async () => (await api('GET', 'googleish')).counts.open).toBe(0);
    const { counts, events } = await api('GET', 'googleish');
    expect(counts).toMatchObject({ connections: 1, accepted: 2, rejected: 1 });
    expect(events.map(({ what }: { what: string }) => what.slice(0, 10))).toEqual([
      'connected',
      'accepted',
      'accepted',
      '421 4.7.28',
      'closed',
    ]);
  });

  test('yahooish: closes after a number of messages of a connection, without a reply', async () => {
    await change('yahooish', { perConnection: { most: 2 } });
    const client = await greeted('yahooish');
    await client.startTls();
    expect(await deliver(client, 'yahooish')).toMatch(/^250 /);
    const [from, to] = ['MAIL FROM:<s@sender.test>', 'RCPT TO:<a@yahooish.houses.test>'];
    for (const line of [from, to, 'DATA']) await client.command(line);
    // pipelined commands get no reply
    expect(await client.command(`Subject: x\r\n\r\nx\r\n.\r\n${from}\r\n${to}\r\nDATA`)).toMatch(
      /^250 2\.6\.0 /,
    );
    await expect(client.reply()).rejects.toThrow('closed');
    expect(await deliver(await greeted('yahooish'), 'yahooish')).toMatch(/^250 /);
  });

  test('outlookish: 451 4.7.650 to MAIL until no attempt was made for a while', async () => {
    await change('outlookish', { untilQuiet: { messages: 1, quietSeconds: 1 } });
    const client = await greeted('outlookish');
    expect(await deliver(client, 'outlookish')).toMatch(/^250 /);
    expect(await client.command('MAIL FROM:<s@sender.test>')).toMatch(/^451 4\.7\.650 /);
    await expect
      .poll(() => client.command('MAIL FROM:<s@sender.test>'), { interval: 1_100 })
      .toMatch(/^250 /);
  });

  test('limited: 421 instead of a greeting to one connection too many', async () => {
    await Promise.all([greeted('limited'), greeted('limited')]);
    const third = dial('limited');
    expect(await third.reply()).toMatch(/^421 4\.7\.0 Too many connections/);
    await expect(third.reply()).rejects.toThrow('closed');
    clients.shift()?.close();
    await expect.poll(async () => (await api('GET', 'limited')).counts.open).toBe(1);
    await greeted('limited');
  });

  test('grey: lets a triplet pass that is retried in time', async () => {
    const client = await greeted('grey');
    await client.command('MAIL FROM:<s@sender.test>');
    expect(await client.command('RCPT TO:<a@grey.houses.test>')).toMatch(/^450 4\.2\.0 /);
    await change('grey', { greylist: { seconds: 0 } });
    expect(await client.command('RCPT TO:<a@grey.houses.test>')).toMatch(/^250 /);
  });

  test('addresses decide, too', async () => {
    const client = await greeted('yahooish');
    await client.command('MAIL FROM:<s@sender.test>');
    expect(await client.command('RCPT TO:<bounce@yahooish.houses.test>')).toMatch(/^550 5\.1\.1 /);
  });
});

describe('a broken house', () => {
  test('slow: sends everything at its rate', async () => {
    await change('slow', { bytesPerSecond: 2_000 });
    const client = await greeted('slow');
    expect(await deliver(client, 'slow')).toMatch(/^250 /);
    await change('slow', { bytesPerSecond: 1 });
    const first = await Promise.race([
      dial('slow').reply(),
      greeted('yahooish').then(() => 'the other house'),
    ]);
    expect(first).toBe('the other house');
  });

  test('silent: accepts connections and sends nothing', async () => {
    const client = dial('silent');
    client.send('EHLO client.test\r\n');
    await expect.poll(async () => (await api('GET', 'silent')).counts.open).toBe(1);
    client.close();
    await expect.poll(async () => (await api('GET', 'silent')).counts.open).toBe(0);
    await expect(client.reply()).rejects.toThrow();
  });

  test.each([
    ['cut-before', 0],
    ['cut-at', 0],
    ['cut-after', 1],
  ])('%s: cuts the connection and has %i message', async (name, stored) => {
    const client = await greeted(name);
    await expect(deliver(client, name, `cut-${name}`)).rejects.toThrow();
    expect(await storedAt(`cut-${name}@${name}.houses.test`)).toBe(stored);
    expect((await api('GET', name)).counts).toMatchObject({ cut: 1 });
  });

  test('ascii: offers no SMTPUTF8', async () => {
    const offers = async (name: string) => {
      const client = await greeted(name);
      return (await client.command('EHLO client.test')).includes('SMTPUTF8');
    };
    expect([await offers('ascii'), await offers('tls-none')]).toEqual([false, true]);
  });

  test('chatty: has a hundred lines in every reply, and bytes that are not UTF-8', async () => {
    const client = dial('chatty');
    const greeting = await client.reply();
    expect(greeting.split('\r\n')).toHaveLength(100);
    expect(greeting).toContain('\ufffd');
    expect(await client.command('EHLO client.test')).toContain('STARTTLS');
    expect(await deliver(client, 'chatty')).toMatch(/^250-2\.6\.0 /);
  });
});

/** @returns the result of STARTTLS for a client that trusts only the authority */
async function handshake(name: string, options: ConnectionOptions = {}): Promise<string> {
  const client = await greeted(name);
  const ca = await readFile(internet.authorityFile, 'utf8');
  const secure = await client.startTls({ ca, servername: `mx.${name}.houses.test`, ...options });
  return secure.authorized ? 'authorized' : String(secure.authorizationError);
}

describe('TLS of a house', () => {
  test.each([
    ['tls-good', 'authorized'],
    ['tls-self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['tls-wrong-name', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['tls-expired', 'CERT_HAS_EXPIRED'],
  ])('%s: %s', async (name, verdict) => {
    expect(await handshake(name)).toMatch(verdict);
  });

  test('tls-none offers none, tls-refused replies 454, tls-injected adds a reply in clear', async () => {
    const plain = dial('tls-none');
    await plain.reply();
    expect(await plain.command('EHLO client.test')).not.toContain('STARTTLS');
    expect(await (await greeted('tls-refused')).command('STARTTLS')).toMatch(/^454 4\.7\.0 /);
    const injected = await greeted('tls-injected');
    expect(await injected.command('STARTTLS')).toMatch(/^220 /);
    expect(await injected.reply()).toBe('250 2.0.0 said in clear');
  });

  test('tls-old accepts old clients only', async () => {
    await expect(handshake('tls-old')).rejects.toThrow();
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    expect(await handshake('tls-old', old)).toBe('authorized');
  });

  test('follows its current script', async () => {
    await change('tls-good', { tls: 'expired' });
    expect(await handshake('tls-good')).toMatch('CERT_HAS_EXPIRED');
    await change('tls-good', { tls: 'none' });
    const client = dial('tls-good');
    await client.reply();
    expect(await client.command('EHLO client.test')).not.toContain('STARTTLS');
  });
});

describe('the DNS records of a house', () => {
  test('its domain and every name below share its host', async () => {
    for (const domain of ['yahooish.houses.test', 'shop.yahooish.houses.test']) {
      expect(await internet.resolver.resolveMx(domain)).toMatchObject([
        { priority: 10, exchange: 'mx.yahooish.houses.test' },
      ]);
    }
    expect(await internet.resolver.resolve4('mx.yahooish.houses.test')).toEqual([addressOf('yahooish')]);
    await expect(internet.resolver.resolveMx('nobody.houses.test')).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
  });

  test('names below scattered have hosts of their own at one address', async () => {
    expect(await internet.resolver.resolveMx('a.scattered.houses.test')).toMatchObject([
      { priority: 10, exchange: 'mx.a.scattered.houses.test' },
    ]);
    expect(await internet.resolver.resolve4('mx.a.scattered.houses.test')).toEqual([addressOf('scattered')]);
  });

  test('null has a null MX, backup a first host without a listener', async () => {
    expect(await internet.resolver.resolveMx('null.houses.test')).toMatchObject([
      { priority: 0, exchange: '' },
    ]);
    const hosts = await internet.resolver.resolveMx('backup.houses.test');
    expect(hosts.map(({ exchange }) => exchange).sort()).toEqual([
      'mx.backup.houses.test',
      'nobody.backup.houses.test',
    ]);
    const [address = ''] = await internet.resolver.resolve4('nobody.backup.houses.test');
    await expect(RawSmtp.connect(internet.sinkPort, address)).rejects.toThrow();
  });
});

/** Requests like a policy client, at the port of this internet. @returns status and body */
function policyAt(domain: string, ca: string): Promise<[number | undefined, string]> {
  return new Promise((resolve, reject) => {
    const url = { host: '127.0.0.1', port: internet.policyPort, path: '/.well-known/mta-sts.txt' };
    const name = `mta-sts.${domain}`;
    request({ ...url, ca, servername: name, headers: { host: name }, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve([response.statusCode, body]));
    })
      .on('error', reject)
      .end();
  });
}

describe('MTA-STS of a house', () => {
  const idOf = async (domain: string) => (await internet.resolver.resolveTxt(`_mta-sts.${domain}`)).join('');

  test('has a record, a policy host with a certificate that fits, and a policy that names its host', async () => {
    const ca = await readFile(internet.authorityFile, 'utf8');
    for (const domain of ['sts-enforce.houses.test', 'shop.sts-enforce.houses.test']) {
      expect(await idOf(domain)).toMatch(/^v=STSv1; id=[0-9a-f]{20};$/);
      expect(await internet.resolver.resolve4(`mta-sts.${domain}`)).toEqual(['127.0.0.1']);
      const policy =
        'version: STSv1\r\nmode: enforce\r\nmx: mx.sts-enforce.houses.test\r\nmax_age: 86400\r\n';
      expect(await policyAt(domain, ca)).toEqual([200, policy]);
    }
    expect((await policyAt('sts-other-host.houses.test', ca))[1]).toContain(
      'mx: mx.another-house.houses.test',
    );
    expect((await policyAt('sts-shared.houses.test', ca))[1]).toContain('mx: mx.tls-expired.houses.test');
    expect(await policyAt('sts-gone.houses.test', ca)).toEqual([404, '']);
    expect(await policyAt('tls-good.houses.test', ca)).toEqual([404, '']);
    await expect(internet.resolver.resolveTxt('_mta-sts.tls-good.houses.test')).rejects.toMatchObject({
      code: 'ENODATA',
    });
  });

  test('a policy that changes has another id', async () => {
    const before = await idOf('sts-enforce.houses.test');
    await change('sts-enforce', { dns: { sts: 'testing' } });
    expect(await idOf('sts-enforce.houses.test')).not.toBe(before);
  });
});

test('an invalid change of a script is 400 and changes nothing', async () => {
  const before = (await api('GET', 'grey')).script;
  expect(await api('PUT', 'grey', { greylist: { seconds: -1 } })).toMatchObject({
    message: expect.any(String),
  });
  expect(await api('PUT', 'grey', { greylisted: {} })).toMatchObject({ message: expect.any(String) });
  expect((await api('GET', 'grey')).script).toEqual(before);
  expect(await api('GET', 'nobody')).toEqual({ message: 'there is no such house' });
});

test('the authority is read from its file, and stays over a restart', async () => {
  const shown = await (await fetch(`${internet.mailboxUrl}/api/houses/authority.pem`)).text();
  expect(shown).toBe(await readFile(internet.authorityFile, 'utf8'));
  const dataDir = await mkdtemp(join(tmpdir(), 'houses-'));
  const authorities: string[] = [];
  for (const _ of ['first', 'second']) {
    const own = await startTestInternet({ dataDir });
    authorities.push(await readFile(own.authorityFile, 'utf8'));
    await own.stop();
  }
  await rm(dataDir, { recursive: true });
  expect(authorities[0]).toBe(authorities[1]);
  expect(authorities[0]).not.toBe(shown);
});
