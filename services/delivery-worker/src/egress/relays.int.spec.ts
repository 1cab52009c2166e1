import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { SMTPServer } from 'smtp-server';
import { selfSignedCertificate } from '@postmesh/secrets';
import type { EgressRelay } from '@postmesh/settings';
import { ConnectionPool } from '../smtp-client/connection-pool.js';
import { polite, ScriptedServer } from '../testing/scripted-server.js';
import type { Script } from '../testing/scripted-server.js';
import { waysOfSettings } from '../testing/ways-of-settings.js';
import { Relays } from './relays.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const LOGIN = { user: 'relay', password: 'secret' };
const LONG_AGO = new Date('2001-01-01');
const CERTIFICATE = selfSignedCertificate(['127.0.0.1', 'relay.test']);

/** A relay that requires a password, or takes mail without one. */
async function relayServer({ implicitTls = false, certificate = CERTIFICATE, open = false } = {}) {
  const met = { passwords: [] as string[], messages: 0, secure: [] as boolean[] };
  const server = new SMTPServer({
    ...certificate,
    secure: implicitTls,
    authOptional: open,
    disableReverseLookup: true,
    onAuth: ({ username, password }, _session, done) => {
      met.passwords.push(password ?? '');
      return password === LOGIN.password ? done(null, { user: username }) : done(new Error('wrong'));
    },
    onData: (stream, session, done) => {
      met.messages++;
      met.secure.push(session.secure);
      stream.resume().on('end', () => done());
    },
  });
  // The server's errors about failed handshakes are not tested here.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise<void>((resolve) => server.close(resolve)));
  const { port } = server.server.address() as AddressInfo;
  return { met, relay: { host: '127.0.0.1', port, implicitTls } };
}

async function scripted(script: Script): Promise<{ server: ScriptedServer; relay: EgressRelay }> {
  const server = await ScriptedServer.start(script);
  stops.push(() => server.stop());
  return { server, relay: { host: '127.0.0.1', port: server.port, implicitTls: false } };
}

const text = 'Subject: x\r\n\r\nhello\r\n';
const message = {
  ...{ envelopeFrom: 'b+x@rp.shop.test', recipient: 'ann@mail.test', eightBit: false, smtpUtf8: false },
  ...{ chunks: [Buffer.from(text)], size: text.length },
};

async function routeOf(egressRelays: readonly EgressRelay[]) {
  const ways = await waysOfSettings({ egressRelays, ehloName: 'mta.service.test' });
  stops.push(() => ways.onModuleDestroy());
  return new Relays(ways).route(ways.pools[0]!);
}

async function send(relays: readonly EgressRelay[], extraCa?: string) {
  const pool = new ConnectionPool({ ehloName: 'mta.service.test', extraCa });
  stops.push(() => pool.close(0));
  const routed = await routeOf(relays);
  if (routed.kind !== 'route') throw new Error(routed.response);
  return pool.send(routed.route, message);
}

describe('a password', () => {
  it.each([
    ['STARTTLS', false],
    ['TLS from the first byte', true],
  ])('goes under %s to a relay whose certificate is valid for its name', async (_how, implicitTls) => {
    const { met, relay } = await relayServer({ implicitTls });
    const sent = await send([{ ...relay, login: LOGIN }], CERTIFICATE.cert);
    expect(sent).toMatchObject({ kind: 'accepted', tls: true });
    expect(met).toEqual({ passwords: ['secret'], messages: 1, secure: [true] });
  });

  it.each([
    ['that is self-signed', CERTIFICATE, undefined, 'not trusted'],
    ['for another name', selfSignedCertificate(['other.test']), 'its own', 'for another name'],
    ['that has expired', selfSignedCertificate(['127.0.0.1'], LONG_AGO), 'its own', 'CERT_HAS_EXPIRED'],
  ])(
    'never goes to one with a certificate %s, and the message waits',
    async (_what, certificate, ca, why) => {
      for (const implicitTls of [false, true]) {
        const { met, relay } = await relayServer({ implicitTls, certificate });
        const sent = await send([{ ...relay, login: LOGIN }], ca && certificate.cert);
        expect(sent).toMatchObject({ kind: 'deferred', smtpCode: 0, enhancedStatusCode: '4.7.5' });
        expect(sent.response).toContain(why);
        expect(met).toEqual({ passwords: [], messages: 0, secure: [] });
      }
    },
  );

  it('is never sent in clear text, with any offer', async () => {
    const { server, relay } = await scripted(polite({ offers: ['AUTH PLAIN LOGIN'] }));
    const sent = await send([{ ...relay, login: LOGIN }], CERTIFICATE.cert);
    expect(sent).toMatchObject({ kind: 'deferred', smtpCode: 0, enhancedStatusCode: '4.7.10' });
    expect(server.peers[0]?.transcript).toEqual(['EHLO mta.service.test']);
  });

  it('that is wrong lets the message wait, and no other relay is tried', async () => {
    const { relay } = await relayServer();
    const second = await scripted(polite());
    const login = { ...LOGIN, password: 'wrong' };
    const sent = await send([{ ...relay, login }, second.relay], CERTIFICATE.cert);
    expect(sent).toMatchObject({ kind: 'deferred', smtpCode: 535, command: 'AUTH' });
    expect(second.server.peers).toHaveLength(0);
  });
});

describe('a relay without a password', () => {
  it('is spoken to under TLS with any certificate', async () => {
    const { met, relay } = await relayServer({ open: true });
    expect(await send([relay])).toMatchObject({ kind: 'accepted', tls: true });
    expect(met).toEqual({ passwords: [], messages: 1, secure: [true] });
  });

  it('is spoken to in clear text when it offers nothing else', async () => {
    const { relay } = await scripted(polite());
    expect(await send([relay])).toMatchObject({ kind: 'accepted', tls: false });
  });
});

describe('of several relays', () => {
  const gone = async () => {
    const { server, relay } = await scripted(polite());
    await server.stop();
    return relay;
  };

  it.each([
    ['does not answer', gone],
    ['is busy', async () => (await scripted(polite({ banner: '421 4.3.2 busy' }))).relay],
    ['cannot prove its name', async () => ({ ...(await relayServer()).relay, login: LOGIN })],
  ])('the next one is asked when the first one %s', async (_what, first) => {
    const second = await scripted(polite());
    expect(await send([await first(), second.relay])).toMatchObject({ kind: 'accepted' });
    expect(second.server.peers).toHaveLength(1);
  });

  it.each([
    ['greets with 554', polite({ banner: '554 5.7.1 no' }), 'deferred', 554],
    [
      'refuses the recipient',
      polite({ reply: (line) => (line.startsWith('RCPT') ? '550 5.1.1 no' : undefined) }),
      'rejected',
      550,
    ],
    [
      'defers the recipient',
      polite({ reply: (line) => (line.startsWith('RCPT') ? '451 4.7.1 later' : undefined) }),
      'deferred',
      451,
    ],
    ['defers the message', polite({ accept: () => '452 4.2.2 full' }), 'deferred', 452],
  ])('the next one is not asked when the first one %s', async (_what, script, kind, smtpCode) => {
    const [first, second] = [await scripted(script), await scripted(polite())];
    expect(await send([first.relay, second.relay])).toMatchObject({ kind, smtpCode });
    expect(second.server.peers).toHaveLength(0);
  });

  it('those that DNS does not know are left out', async () => {
    const second = await scripted(polite());
    const unknown = { host: 'relay.invalid', port: 25, implicitTls: false };
    expect(await send([unknown, second.relay])).toMatchObject({ kind: 'accepted' });
    expect(await routeOf([unknown])).toMatchObject({
      ...{ kind: 'dns-failure', response: 'no relay can be found: relay.invalid' },
    });
  });
});
