import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { selfSignedCertificate } from '@postmesh/secrets';
import { postfixProgram, startForeignMailHost, type ForeignMailHost } from '@postmesh/testing';
import { publishZone } from './contract/dns-zones.js';
import { eventually, ownInstallation } from './contract/harness.js';
import { ok, Sender } from './contract/sender.js';
import { HousesClient } from './houses-client.js';

const folder = mkdtempSync(join(tmpdir(), 'postmesh-shaping-'));
const shapingFile = join(folder, 'shaping.json');
/** Houses that the worker treats as the provider that they simulate. */
const AS_PROVIDERS = {
  google: { match: ['.google.com', '.googlemail.com', '.googleish.houses.test'] },
  outlook: { match: ['.olc.protection.outlook.com', '.outlookish.houses.test'] },
};
// connections to google and outlook
const STARTS_WITH = 5;
const DEFAULT_STARTS_WITH = 3;
const RECIPIENTS_PER_CALL = 40;

writeFileSync(shapingFile, JSON.stringify(AS_PROVIDERS));
const postmesh = ownInstallation({
  POSTMESH_SHAPING_FILE: shapingFile,
  // a deferred message does not return during a test
  POSTMESH_RETRY_DELAYS_S: '600,600,600,600,600,600,600',
});
const houses = new HousesClient(postmesh);
let sender: Sender;
// an account of its own, because the counts are by account
beforeEach(async () => {
  sender = await Sender.make(postmesh);
});
afterAll(() => rmSync(folder, { recursive: true }));

const at = (house: string, local = 'ann'): string => `${local}@${house}.houses.test`;

/** The outcome of one message to each house after its first attempt. */
async function firstOutcomes(names: readonly string[]): Promise<Record<string, string>> {
  const ids = await Promise.all(names.map((name) => sender.send(at(name))));
  const outcomes = await Promise.all(
    ids.map(async (id) => {
      const status = async () => (await sender.message(id)).status;
      await eventually(status, 60_000).toMatch(/^(Delivered|Deferred|Bounced)$/);
      return status();
    }),
  );
  return Object.fromEntries(names.map((name, nth) => [name, outcomes[nth] ?? '']));
}

/** Whether the message to this house came over TLS. */
async function cameOverTls(house: string): Promise<boolean> {
  const { body } = await postmesh.mailbox(`/api/messages?to=${encodeURIComponent(at(house))}`);
  return body.messages[0].tls;
}

describe('houses with TLS of all kinds', () => {
  it('take mail over TLS where that works, in clear where it does not: their domains demand no more', async () => {
    const withTls = ['tls-good', 'tls-self-signed', 'tls-wrong-name', 'tls-expired'];
    const inClear = ['tls-none', 'tls-old', 'tls-refused'];
    const names = [...withTls, ...inClear, 'tls-injected'];
    const outcomes = await firstOutcomes(names);
    expect(outcomes).toEqual(Object.fromEntries(names.map((name) => [name, 'Delivered'])));
    for (const house of withTls) expect([house, await cameOverTls(house)]).toEqual([house, true]);
    for (const house of inClear) expect([house, await cameOverTls(house)]).toEqual([house, false]);
  });
});

describe('houses that ask for proof', () => {
  it('get mail when the host proves what their records demand, and none otherwise', async () => {
    const delivered = [
      ...['dane-good', 'dane-authority', 'dane-unusable', 'dane-insecure'],
      ...['sts-enforce', 'sts-testing', 'sts-none', 'sts-gone'],
    ];
    const deferred = [
      ...['dane-bad', 'dane-failing', 'dane-no-tls'],
      ...['sts-enforce-bad', 'sts-enforce-no-tls', 'sts-other-host'],
    ];
    expect(await firstOutcomes([...delivered, ...deferred])).toEqual({
      ...Object.fromEntries(delivered.map((name) => [name, 'Delivered'])),
      ...Object.fromEntries(deferred.map((name) => [name, 'Deferred'])),
    });
    for (const house of ['dane-good', 'dane-authority', 'dane-unusable', 'sts-enforce']) {
      expect([house, await cameOverTls(house)]).toEqual([house, true]);
    }
  });

  it('share no session with domains that demand none at the same host', async () => {
    // one host with an expired certificate: the domains of `tls-expired` accept it, `sts-shared` does not
    const open = ['a', 'b', 'c'].map((name) => `${name}.tls-expired`);
    expect(await firstOutcomes(['sts-shared', ...open, 'sts-shared'])).toEqual({
      'sts-shared': 'Deferred',
      ...Object.fromEntries(open.map((name) => [name, 'Delivered'])),
    });
  });
});

describe('houses that are not easy', () => {
  it('grey lets a message pass on its first retry', async () => {
    const id = await sender.send(at('grey'));
    await sender.becomes(id, 'Deferred');
    await houses.change('grey', { greylist: { seconds: 0 } });
    await sender.attemptNow(id);
    await sender.becomes(id, 'Delivered');
    expect(await sender.message(id)).toMatchObject({ num_attempts: 2 });
  });

  it('chatty and backup take messages at the first try, null bounces them', async () => {
    expect(await firstOutcomes(['chatty', 'backup', 'null'])).toEqual({
      chatty: 'Delivered',
      backup: 'Delivered',
      null: 'Bounced',
    });
  });
});

/** Messages to many domains that share the host of a house. */
async function send(house: string, count: number): Promise<void> {
  const all = Array.from({ length: count }, (_, nth) => `u${nth}@n${nth % 20}.${house}.houses.test`);
  for (let at = 0; at < count; at += RECIPIENTS_PER_CALL) {
    ok(await sender.trySend(all.slice(at, at + RECIPIENTS_PER_CALL)), 202);
  }
}

interface Group {
  group: string;
  provider: string | null;
  connections_allowed: number;
  per_connection: number;
  state: string;
  suspended_until: string | null;
  reason: string | null;
}

/** The group that a house's domains share, from the operator interface. */
async function groupOf(house: string): Promise<Group | undefined> {
  const [row] = await postmesh.sql<{ group_key: string }>(
    'select group_key from delivery_worker.mx_domains where domain = $1',
    [`n0.${house}.houses.test`],
  );
  const { groups } = ok(await postmesh.operator('GET', '/operator/delivery-worker/queue'), 200);
  return groups.find(({ group }: Group) => group === row?.group_key);
}

const suspended = (house: string) =>
  eventually(async () => (await groupOf(house))?.state, 20_000).toBe('suspended');

async function resume(house: string): Promise<void> {
  const { group = '' } = (await groupOf(house)) ?? {};
  const path = `/operator/delivery-worker/queue/groups/${encodeURIComponent(group)}/resume`;
  ok(await postmesh.operator('POST', path), 200);
}

/** Waits until all messages of this test's account are delivered. @returns their highest number of attempts */
async function allDelivered(count: number): Promise<number> {
  const read = () =>
    postmesh.sql<{ status: string; num_attempts: number }>(
      'select status, num_attempts from messages.messages where account_id = $1',
      [sender.account.id],
    );
  await eventually(
    async () => (await read()).filter(({ status }) => status === 'Delivered').length,
    60_000,
  ).toBe(count);
  return Math.max(...(await read()).map(({ num_attempts }) => num_attempts));
}

describe('a provider that slows down', () => {
  it('googleish: few are deferred for a rate that many domains share; then nothing before an end', async () => {
    await houses.change('googleish', { rate: { messages: 10 } });
    await send('googleish', 100);
    await suspended('googleish');
    const group = await groupOf('googleish');
    expect(group).toMatchObject({ group: 'p:google', provider: 'google', connections_allowed: 0 });
    expect(Date.parse(group?.suspended_until ?? '')).toBeGreaterThan(Date.now());
    expect(group?.reason).toMatch(/^Google slowed down .*421 4\.7\.28/);
    const { counts } = await houses.view('googleish');
    // only messages in flight on the initial connections, of the ninety others
    expect(counts.accepted).toBeLessThanOrEqual(10 + STARTS_WITH);
    expect(counts.rejected).toBeLessThanOrEqual(STARTS_WITH);

    // idle connections from before the suspension would serve the next messages
    await houses.count('googleish', 'open', 45_000).toBe(0);
    await houses.reset('googleish');
    await resume('googleish');
    await houses.count('googleish', 'accepted', 40_000).toBeGreaterThan(2);
    // one connection probes, and later messages use no more than one; another may be closing
    const after = (await houses.view('googleish')).counts;
    expect(after.rejected).toBe(0);
    expect(after.most_open).toBeLessThanOrEqual(2);
  });

  it('outlookish: one message probes, a failing probe suspends again and for longer, a good one recovers', async () => {
    await houses.change('outlookish', { untilQuiet: { messages: 5, quietSeconds: 3_600 } });
    await send('outlookish', 40);
    await suspended('outlookish');
    const first = await groupOf('outlookish');
    const before = (await houses.view('outlookish')).counts;
    expect(before.accepted).toBeLessThanOrEqual(5 + STARTS_WITH);
    expect(before.rejected).toBeLessThanOrEqual(STARTS_WITH);

    await resume('outlookish');
    await houses.count('outlookish', 'rejected', 30_000).toBe(before.rejected + 1);
    await suspended('outlookish');
    const second = await groupOf('outlookish');
    expect(Date.parse(second?.suspended_until ?? '')).toBeGreaterThanOrEqual(
      Date.parse(first?.suspended_until ?? ''),
    );
    expect((await houses.view('outlookish')).counts).toMatchObject({
      accepted: before.accepted,
      rejected: before.rejected + 1,
    });

    await houses.change('outlookish', { untilQuiet: null });
    await resume('outlookish');
    await eventually(async () => (await groupOf('outlookish'))?.state, 30_000).toBe('open');
    await houses.count('outlookish', 'accepted', 30_000).toBeGreaterThan(before.accepted + 2);
  });
});

describe('a server with limits of its connections', () => {
  it('yahooish: its limit per connection is learnt without a cut, and no message is sent twice', async () => {
    await houses.change('yahooish', { perConnection: { most: 5 } });
    await send('yahooish', 120);
    expect(await allDelivered(120)).toBe(1);
    expect(await groupOf('yahooish')).toMatchObject({ per_connection: 4, state: 'open' });
    expect((await groupOf('yahooish'))?.connections_allowed).toBeGreaterThanOrEqual(DEFAULT_STARTS_WITH);
  });

  it('limited: one connection too many is tried, and no message is deferred for it', async () => {
    await send('limited', 60);
    expect(await allDelivered(60)).toBe(1);
    const { counts } = await houses.view('limited');
    expect(counts.rejected).toBeLessThanOrEqual(DEFAULT_STARTS_WITH);
  });
});

const program = postfixProgram();
const GOOD = 'postfix.test';
const BAD = 'postfix-with-bad-records.test';
const ADDRESS = '127.26.0.1';

describe.runIf(program)('Postfix as receiver', () => {
  const tls = selfSignedCertificate([`mx.${GOOD}`]);
  let postfix: ForeignMailHost;
  let port = 0;

  beforeAll(async () => {
    port = await houses.port();
    postfix = await startForeignMailHost(program ?? '', {
      ...{ address: ADDRESS, port, host: `mx.${GOOD}`, domains: [GOOD, BAD], tls },
    });
  });
  afterAll(() => postfix?.stop());

  /** @param key that TLSA names as the key of the domain's host */
  const publish = (domain: string, key: Buffer) =>
    publishZone(postmesh, domain, {
      secure: true,
      records: [
        { type: 'MX', host: domain, content: `10 mx.${domain}` },
        { type: 'A', host: `mx.${domain}`, content: ADDRESS },
        { type: 'TLSA', host: `_${port}._tcp.mx.${domain}`, content: `3 1 1 ${sha256(key)}` },
      ],
    });
  const keyOf = (cert: string) => new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });

  /** TLS of the last attempt, from the operator interface. */
  const tlsOf = async (id: string): Promise<string> => {
    const { body } = await postmesh.operator('GET', `/operator/messages/messages/${id}`);
    return body.timeline.findLast((entry: { tls: string | null }) => entry.tls !== null)?.tls;
  };

  it('takes a signed message over TLS that DANE verifies, and keeps it as it was sent', async () => {
    await publish(GOOD, keyOf(tls.cert));
    const text = 'Grüße an die andere Seite\n.allein am Anfang\n';
    const id = await sender.send(`ann@${GOOD}`, { subject: 'Über Postfix', text_content: text });
    await sender.becomes(id, 'Delivered');
    expect(await tlsOf(id)).toMatch(/^TLSv1\.3 \S+, verified by DANE, DANE asks for it$/);
    await eventually(async () => (await postfix.messages()).length).toBe(1);
    const [message = ''] = await postfix.messages();
    expect(message).toMatch(/^Delivered-To: ann@postfix\.test$/m);
    expect(message).toMatch(/^Return-Path: <b\+[a-z2-7]{42}@/m);
    expect(message).toMatch(/^\s*\(using TLSv1\.3 with cipher /m);
    expect(message).toMatch(/^DKIM-Signature: /m);
    expect(message).toContain('=2Eallein am Anfang');
  });

  it('takes nothing while its TLSA records name another key', async () => {
    await publish(BAD, Buffer.from('another key'));
    const before = (await postfix.messages()).length;
    const id = await sender.send(`bob@${BAD}`);
    await sender.becomes(id, 'Deferred');
    expect(await postfix.messages()).toHaveLength(before);
  });
});

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
