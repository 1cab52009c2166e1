import { describe, expect, it } from 'vitest';
import { loadSettings, redactedSettings } from './load.js';

const sources = (text: string) => loadSettings({ POSTMESH_EGRESS_SOURCES: text }).egressSources;
const relays = (text: string) => loadSettings({ POSTMESH_EGRESS_RELAY: text }).egressRelays;
const source = (change: object = {}) => ({
  ...{ id: 'a', address: '192.0.2.10', ehlo: 'mta-a.example.com' },
  ...change,
});
const json = (...items: object[]) => JSON.stringify(items);

describe('source addresses', () => {
  it('are none unless given', () => {
    expect(sources('')).toEqual([]);
  });

  it('have an id, an address and a name each', () => {
    const six = { id: 'six', address: '2001:db8::10', ehlo: 'mta-six.example.com' };
    expect(sources(json(source({ ehlo: 'MTA-A.example.com' }), six))).toEqual([source(), six]);
  });

  it('may be addresses of proxies', () => {
    const vias = [{ socks5: 'Proxy.test:1080' }, { proxy: '[2001:db8::1]:2500' }];
    const given = vias.map((via, nth) => source({ id: `s${nth}`, address: `192.0.2.${nth + 1}`, via }));
    expect(sources(json(...given)).map(({ via }) => via)).toEqual([
      { kind: 'socks5', host: 'proxy.test', port: 1080 },
      { kind: 'proxy', host: '2001:db8::1', port: 2500 },
    ]);
  });

  it.each([
    ['not JSON', 'must be JSON'],
    ['{"id":"a"}', 'must be a JSON list of {id, address, ehlo, via?}'],
    [json(source({ id: 'A b' })), '0.id must be 1 to 32 of a-z, 0-9 and -'],
    [json(source({ id: '' })), '0.id'],
    [json(source({ address: 'mta.example.com' })), '0.address must be an IPv4 or IPv6 address'],
    [json(source({ address: '0.0.0.0' })), '0.address'],
    [json(source({ address: '::' })), '0.address'],
    [json(source({ address: 'fe80::1%eth0' })), '0.address'],
    [json(source({ ehlo: 'localhost' })), '0.ehlo must be a full host name'],
    [json(source({ ehlo: '[192.0.2.10]' })), '0.ehlo'],
    [json(source({ helo: 'x' })), 'Unrecognized key'],
    [json(source({ via: { http: 'a:1' } })), '0.via must be {socks5: host:port} or {proxy: host:port}'],
    [json(source({ via: { socks5: 'a:1', proxy: 'a:1' } })), '0.via must be {socks5'],
    [json(source({ via: { socks5: 'user:password@a:1' } })), '0.via.socks5 must be host:port'],
    [json(source({ via: { proxy: 'a' } })), '0.via.proxy must be host:port'],
    [json(source({ via: { proxy: '2001:db8::1:25' } })), '0.via.proxy must be host:port'],
    [json(source({ via: { proxy: 'a:65536' } })), '0.via.proxy must be host:port'],
    [json(source(), source({ address: '192.0.2.11' })), 'must have each id once: a is listed twice'],
    [json(source(), source({ id: 'b' })), 'must have each address once'],
    [json(...Array.from({ length: 65 }, (_, nth) => source({ id: `s${nth}` }))), 'must be a JSON list'],
  ])('%s stops the start', (text, problem) => {
    expect(() => sources(text)).toThrow('POSTMESH_EGRESS_SOURCES');
    expect(() => sources(text)).toThrow(problem);
  });
});

describe('logins of SOCKS5 proxies', () => {
  const logins = (text: string) => loadSettings({ POSTMESH_EGRESS_SOCKS_LOGINS: text }).egressSocksLogins;

  it('are of a host and port each', () => {
    expect(logins('socks5://me:p%2Ca%40ss@Proxy.test:1080, socks5://me:x@[2001:db8::1]:1080')).toEqual([
      { host: 'proxy.test', port: 1080, user: 'me', password: 'p,a@ss' },
      { host: '2001:db8::1', port: 1080, user: 'me', password: 'x' },
    ]);
  });

  it.each([
    'proxy.test:1080',
    'socks5://proxy.test:1080',
    'socks5://me:hush@proxy.test',
    'socks5://me@a.test:1',
  ])('%s stops the start, without a password in the error', (text) => {
    expect(() => logins(text)).toThrow('POSTMESH_EGRESS_SOCKS_LOGINS: the given value must be URLs');
    expect(() => logins(text)).not.toThrow(/hush/);
  });
});

describe('relays', () => {
  it('come in their order, with and without a password', () => {
    expect(
      relays('smtp://me:p%2Ca%40ss@one.test:587, smtps://two.test ,smtp://[2001:db8::1]:2525/?tls=optional'),
    ).toEqual([
      { host: 'one.test', port: 587, implicitTls: false, login: { user: 'me', password: 'p,a@ss' } },
      { host: 'two.test', port: 465, implicitTls: true },
      { host: '2001:db8::1', port: 2525, implicitTls: false },
    ]);
    expect(relays('')).toEqual([]);
  });

  it('keep a comma of a password that an older release took', () => {
    expect(relays('smtp://me:a,b@one.test')[0]?.login).toEqual({ user: 'me', password: 'a,b' });
  });

  it.each(['one.test', 'http://one.test', 'smtp://', 'smtps://one.test,smtp://'])(
    '%s stops the start',
    (text) => {
      expect(() => relays(text)).toThrow('POSTMESH_EGRESS_RELAY: the given value must be URLs');
    },
  );

  it('without a password and TLS stop the start, unless clear text is allowed', () => {
    expect(() => relays('smtps://one.test,smtp://two.test')).toThrow(
      'POSTMESH_EGRESS_RELAY: the given value has a relay without a password or TLS at place 2',
    );
    expect(() => relays('smtp://two.test?tls=no')).toThrow('?tls=optional');
  });

  it('appear neither in prints nor in errors', () => {
    const given = loadSettings({ POSTMESH_EGRESS_RELAY: 'smtp://me:hush@one.test' });
    expect(redactedSettings(given)['POSTMESH_EGRESS_RELAY']).toBe('[hidden]');
    expect(() => relays('smtp://me:hush@one.test:port')).not.toThrow(/hush/);
  });
});
