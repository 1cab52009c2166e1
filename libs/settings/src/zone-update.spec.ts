import { describe, expect, it } from 'vitest';
import { loadSettings, redactedSettings } from './load.js';

const SECRET = Buffer.alloc(32, 7).toString('base64');
const key = (text: string) => loadSettings({ POSTMESH_ZONE_UPDATE_KEY: text }).zoneUpdateKey;
const server = (text: string) => loadSettings({ POSTMESH_ZONE_UPDATE_SERVER: text }).zoneUpdateServer;

describe('the key for zone updates', () => {
  it('is none, or a name, an algorithm and a secret', () => {
    expect(key('')).toBeUndefined();
    expect(key(`Post.Mesh.:HMAC-SHA256:${SECRET}`)).toEqual({
      name: 'post.mesh',
      algorithm: 'hmac-sha256',
      secret: Buffer.alloc(32, 7),
    });
  });

  it.each([
    ['postmesh', 'needs an algorithm'],
    [`post mesh:hmac-sha256:${SECRET}`, 'must be name:algorithm:secret'],
    [`postmesh:hmac-sha256:${SECRET}:more`, 'must be name:algorithm:secret'],
    [`postmesh:hmac-md5:${SECRET}`, 'needs an algorithm of hmac-sha256'],
    ['postmesh:hmac-sha256:c2hvcnQ=', 'needs a secret of at least 16 bytes'],
    ['postmesh:hmac-sha256:not-base-64-not-base-64-not-base-64', 'needs a secret'],
  ])('%s: %s', (text, problem) => {
    expect(() => key(text)).toThrow(`POSTMESH_ZONE_UPDATE_KEY: the given value ${problem}`);
  });

  it('stays out of prints', () => {
    const given = loadSettings({ POSTMESH_ZONE_UPDATE_KEY: `postmesh:hmac-sha256:${SECRET}` });
    expect(redactedSettings(given)['POSTMESH_ZONE_UPDATE_KEY']).toBe('[hidden]');
  });
});

describe('the server for zone updates', () => {
  it.each([
    ['ns1.example.com', { host: 'ns1.example.com', port: 53 }],
    ['192.0.2.1:5353', { host: '192.0.2.1', port: 5353 }],
    ['[2001:db8::1]:53', { host: '2001:db8::1', port: 53 }],
    ['[2001:db8::1]', { host: '2001:db8::1', port: 53 }],
  ])('%s', (text, expected) => {
    expect(server(text)).toEqual(expected);
  });

  it.each(['2001:db8::1', 'a b', 'ns1:0', 'ns1:70000', 'ns1:'])('not %s', (text) => {
    expect(() => server(text)).toThrow('POSTMESH_ZONE_UPDATE_SERVER');
  });
});
