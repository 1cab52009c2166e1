import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { applyLink, canonicalQuery, publicKeyRecords, templateUrl } from './apply-link.rules.js';
import { zonesOf } from './dns-hosts.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const SIGNER = { providerId: 'example.com', serviceId: 'mail', key: privateKey, keyLabel: '_dck1' };

describe('the query of a link', () => {
  it('is sorted and encoded as in the example of the draft (section 8.3.2.1)', () => {
    const given = { text: 'a+b', ip: '10.10.10.10', domain: 'example.net', b: '2', a: '1' };
    expect(canonicalQuery(given)).toBe('a=1&b=2&domain=example.net&ip=10.10.10.10&text=a%2Bb');
  });

  it('encodes all but unreserved characters, and leaves out what is empty', () => {
    expect(canonicalQuery({ z: "a b!'()*,/:~", host: '', ü: '&=' })).toBe(
      '%C3%BC=%26%3D&z=a%20b%21%27%28%29%2A%2C%2F%3A~',
    );
  });

  it('is signed as it is, and followed by the signature and the label of the key', () => {
    const link = applyLink('https://host.test/sync/', SIGNER, { domain: 'a.test', groupId: 'spf,dkim' });
    const [address, query = ''] = link.split('?');
    expect(address).toBe(
      'https://host.test/sync/v2/domainTemplates/providers/example.com/services/mail/apply',
    );
    const [, signed = '', sig = ''] = /^(.*)&sig=([^&]+)&key=_dck1$/.exec(query) ?? [];
    expect(signed).toBe('domain=a.test&groupId=spf%2Cdkim');
    const signature = Buffer.from(decodeURIComponent(sig), 'base64');
    expect(verify('RSA-SHA256', Buffer.from(signed), publicKey, signature)).toBe(true);
  });
});

describe('the public key', () => {
  it('is text records whose fragments are the key', () => {
    const records = publicKeyRecords(privateKey);
    expect(
      records.every((text, nth) => text.startsWith(`p=${nth + 1},a=RS256,d=`) && text.length <= 255),
    ).toBe(true);
    const data = records.map((text) => text.split(',d=')[1]).join('');
    const key = createPublicKey({ key: Buffer.from(data, 'base64'), format: 'der', type: 'spki' });
    expect(key.equals(publicKey)).toBe(true);
  });
});

it('the address of a template is below the prefix of the host', () => {
  expect(templateUrl('https://api.host.test/a', SIGNER)).toBe(
    'https://api.host.test/a/v2/domainTemplates/providers/example.com/services/mail',
  );
});

it.each([
  ['shop.test', ['shop.test']],
  ['a.b.example.co.uk', ['a.b.example.co.uk', 'b.example.co.uk', 'example.co.uk']],
  ['a.b.c.d.e.example.com', ['c.d.e.example.com', 'd.e.example.com', 'e.example.com', 'example.com']],
])('the zones of %s are %j', (name, zones) => expect(zonesOf(name)).toEqual(zones));
