import { afterEach, describe, expect, it } from 'vitest';
import { issueCertificate, selfSignedCertificate } from '@postmesh/secrets';
import { constantLimits } from '../shaping/constant-limits.js';
import { makeCa, TlsMailHost } from '../testing/tls-world.js';
import type { TlsNeed } from '../tls/host-need.rules.js';
import { ConnectionPool, type PoolOptions } from './connection-pool.js';

const root = makeCa('Test CA');
const good = issueCertificate({ names: ['mx.test'], issuer: root });
const bad = selfSignedCertificate(['mx.test']);

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});
async function world(pair: { key: string; cert: string }, options: Partial<PoolOptions> = {}) {
  const host = await TlsMailHost.start({ address: '127.0.0.1', port: 0 }, pair);
  stops.push(() => host.stop());
  const pool = new ConnectionPool({ ehloName: 'mta.service.test', extraCa: root.cert, ...options });
  stops.push(() => pool.close(0));
  const text = 'Subject: x\r\n\r\nhello\r\n';
  let nth = 0;
  const send = (need: TlsNeed) =>
    pool.send(
      {
        hosts: [{ name: 'mx.test', preference: 0, addresses: ['127.0.0.1'], need, policy: 'sts' }],
        port: host.port,
      },
      {
        envelopeFrom: 'b+x@rp.shop.test',
        recipient: `${need}-${(nth += 1)}@mail.test`,
        chunks: [Buffer.from(text)],
        size: text.length,
        eightBit: false,
        smtpUtf8: false,
      },
    );
  return { host, pool, send };
}
const one = { limits: constantLimits({ connections: 1 }) };

describe('messages that need more than a connection proves', () => {
  it('wait for another one and not behind those that need less', async () => {
    const { host, send } = await world(bad, one);
    expect(await send('none')).toMatchObject({ kind: 'accepted', connection: { tlsVerdict: 'untrusted' } });
    host.showFromNowOn(good);
    // The idle one is closed: only one connection is allowed.
    expect(await send('pkix')).toMatchObject({ kind: 'accepted', connection: { tlsVerdict: 'pkix' } });
    expect(host.connections).toBe(2);
    expect(await send('none')).toMatchObject({ connection: { tlsVerdict: 'pkix' } });
    expect(host.connections).toBe(2);
  });

  it('get one also where busy connections take all the room', async () => {
    const { host, send } = await world(bad, one);
    await send('none');
    host.showFromNowOn(good);
    let done = 0;
    const many = Array.from({ length: 300 }, () => send('none').then(() => done++));
    expect(await send('pkix')).toMatchObject({ kind: 'accepted', connection: { tlsVerdict: 'pkix' } });
    await Promise.all(many);
    expect(done).toBe(300);
    expect(host.connections).toBe(2);
  });

  it('are deferred together, and the others go on', async () => {
    const { host, pool, send } = await world(bad);
    const kinds = ['none', 'pkix', 'starttls', 'pkix', 'none', 'starttls'] as const;
    const outcomes = await Promise.all(kinds.map((need) => send(need)));
    expect(outcomes.map(({ kind }) => kind)).toEqual(
      kinds.map((need) => (need === 'pkix' ? 'deferred' : 'accepted')),
    );
    expect(host.taken.filter(({ recipient }) => recipient.startsWith('pkix'))).toEqual([]);
    expect(host.taken.every(({ secure }) => secure)).toBe(true);
    expect(pool.stats()).toMatchObject({ waiting: 0, inPool: 0 });
  });

  it('leave the host alone for a while, for this need only', async () => {
    let now = 0;
    const { host, send } = await world(bad, { now: () => now, random: () => 0.5 });
    expect(await send('pkix')).toMatchObject({ kind: 'deferred', enhancedStatusCode: '4.7.5' });
    expect(await send('pkix')).toMatchObject({ kind: 'postponed', notBefore: 10_000 });
    expect(await send('none')).toMatchObject({ kind: 'accepted' });
    now = 10_000;
    host.showFromNowOn(good);
    expect(await send('pkix')).toMatchObject({ kind: 'accepted' });
  });
});

describe('a resumed session', () => {
  it('has the proof of its first handshake, and no more', async () => {
    const { host, send } = await world(bad, { limits: constantLimits({ perConnection: 1 }) });
    for (const verdict of ['untrusted', 'untrusted']) {
      expect(await send('none')).toMatchObject({ connection: { tlsVerdict: verdict } });
    }
    expect(await send('pkix')).toMatchObject({ kind: 'deferred', enhancedStatusCode: '4.7.5' });
    expect(host.connections).toBe(3);
    const other = await world(good, { limits: constantLimits({ perConnection: 1 }) });
    for (const need of ['none', 'pkix', 'none', 'pkix'] as const) {
      expect(await other.send(need)).toMatchObject({ kind: 'accepted', connection: { tlsVerdict: 'pkix' } });
    }
  });
});
