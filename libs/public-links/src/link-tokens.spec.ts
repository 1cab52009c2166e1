import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveKeys } from '@postmesh/secrets';
import { LinkTokens, type PublicLink } from './link-tokens.js';
import { isTarget, locationOf, publicBaseUrl } from './link-urls.rules.js';

const OLD = 'the-key-of-the-first-year-long-enough';
const NEW = 'the-key-of-the-second-year-long-enough';
const tokens = new LinkTokens([NEW, OLD]);

const messageId = '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01';
const accountId = '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0';
const OPEN: PublicLink = { kind: 'open', messageId };
const CLICK: PublicLink = { kind: 'click', messageId, index: 300, url: 'https://shop.test/a?b=1&c=ü#d' };
const UNSUBSCRIBE: PublicLink = {
  kind: 'unsubscribe',
  messageId,
  accountId,
  domain: 'shop.test',
  recipient: 'ann@mail.test',
};
const SANDBOX: PublicLink = { ...UNSUBSCRIBE, sandbox: true };
const OF_SIGN_UPS: PublicLink[] = [
  { kind: 'form', formId: messageId, accountId },
  { kind: 'confirm', signUpId: messageId, accountId },
  { kind: 'preferences', contactId: messageId, accountId },
];
const EACH = [OPEN, CLICK, UNSUBSCRIBE, SANDBOX, ...OF_SIGN_UPS];

const webUrl = fc.webUrl({ withFragments: true, withQueryParameters: true });
const anyLink: fc.Arbitrary<PublicLink> = fc.oneof(
  fc.record({ kind: fc.constant('open' as const), messageId: fc.uuid() }),
  fc.record({
    kind: fc.constant('click' as const),
    messageId: fc.uuid(),
    index: fc.nat(0xffff),
    url: webUrl,
  }),
  fc.record({
    kind: fc.constant('unsubscribe' as const),
    messageId: fc.uuid(),
    accountId: fc.uuid(),
    domain: fc.domain(),
    recipient: fc.emailAddress(),
  }),
);

describe('a token', () => {
  it.each(EACH)('reads as it was signed: $kind', (link) => {
    expect(tokens.read(tokens.sign(link))).toEqual(link);
  });

  it('reads as it was signed for any content, in characters that need no escape', () => {
    fc.assert(
      fc.property(anyLink, (link) => {
        const token = tokens.sign(link);
        expect(token).toMatch(/^[\w-]+$/);
        expect(tokens.read(token)).toEqual(link);
      }),
    );
  });

  it('is short: 44 characters for a pixel', () => {
    expect(tokens.sign(OPEN)).toHaveLength(44);
  });

  it.each(EACH)('of a rotated key still works: $kind', (link) => {
    const before = new LinkTokens([OLD]).sign(link);
    expect(tokens.read(before)).toEqual(link);
    expect(new LinkTokens([NEW]).read(before)).toBeUndefined();
    expect(new LinkTokens([NEW]).read(tokens.sign(link))).toEqual(link);
  });

  it('is signed with a key for this purpose only', () => {
    const bytes = Buffer.from(tokens.sign(OPEN), 'base64url');
    const made = (key: Buffer | string) =>
      createHmac('sha256', key).update(bytes.subarray(16)).digest().subarray(0, 16);
    expect(made(deriveKeys([NEW], 'postmesh public links')[0]!)).toEqual(bytes.subarray(0, 16));
    expect(made(NEW)).not.toEqual(bytes.subarray(0, 16));
    expect(made(deriveKeys([NEW], 'postmesh pepper')[0]!)).not.toEqual(bytes.subarray(0, 16));
  });

  it('with any bit changed is rejected', () => {
    for (const link of EACH) {
      const bytes = Buffer.from(tokens.sign(link), 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit += 1) {
        const changed = Buffer.from(bytes);
        changed[bit >> 3]! ^= 1 << (bit & 7);
        expect(tokens.read(changed.toString('base64url'))).toBeUndefined();
      }
    }
  });

  it('has one spelling', () => {
    const token = tokens.sign(CLICK);
    const others = [`${token}=`, `${token} `, ` ${token}`, `${token}A`, token.slice(0, -1), `${token}\n`];
    const standard = Buffer.from(token, 'base64url').toString('base64');
    for (const other of [...others, standard, token.toLowerCase()]) {
      expect(tokens.read(other)).toBeUndefined();
    }
  });

  it('is rejected for any other text', () => {
    for (const text of ['', 'a', '..', '%2e', 'x'.repeat(10_000), '\u0000', '💩'.repeat(20)]) {
      expect(tokens.read(text)).toBeUndefined();
    }
    for (let length = 0; length < 100; length += 1) {
      expect(tokens.read(randomBytes(length).toString('base64url'))).toBeUndefined();
    }
  });

  it('leads to web addresses only, even when something else was signed', () => {
    const [key] = deriveKeys([NEW], 'postmesh public links');
    const signed = (url: string) => {
      const body = Buffer.concat([Buffer.from([2]), Buffer.alloc(18), Buffer.from(url)]);
      const signature = createHmac('sha256', key!).update(body).digest().subarray(0, 16);
      return Buffer.concat([signature, body]).toString('base64url');
    };
    expect(tokens.read(signed('https://shop.test/'))).toMatchObject({ url: 'https://shop.test/' });
    for (const url of ['javascript:alert(1)', '//evil.test', 'https://a.test/\r\nx: y', 'data:,x', '']) {
      expect(tokens.read(signed(url))).toBeUndefined();
    }
  });

  it('is not made for a link that it cannot hold', () => {
    const click = { kind: 'click', messageId, index: 0, url: 'https://shop.test/' } as const;
    expect(() => tokens.sign({ ...click, url: 'javascript:alert(1)' })).toThrow(RangeError);
    expect(() => tokens.sign({ ...click, index: 70_000 })).toThrow(RangeError);
    expect(() => tokens.sign({ ...click, messageId: 'x' })).toThrow(RangeError);
    expect(() => new LinkTokens([])).toThrow('POSTMESH_SECRET_KEYS');
  });
});

describe('a target', () => {
  it.each([
    ['http://shop.test', true],
    ['HTTPS://shop.test/ü?a b', true],
    ['https://shop.test:8443/%zz', true],
    [`https://shop.test/${'x'.repeat(4_000)}`, true],
    [`https://shop.test/${'x'.repeat(4_096)}`, false],
    ['https:/shop.test', false],
    ['https://', false],
    ['https://a b.test/', false],
    ['https://shop.test:port/', false],
    ['https://shop.test/\r\nset-cookie: a', false],
    ['https://shop.test/\u0000', false],
    ['https://shop.test/\ud800', false],
    ['ftp://shop.test/', false],
    ['mailto:a@shop.test', false],
    [' https://shop.test', false],
  ])('%j: %s', (url, tracked) => expect(isTarget(url)).toBe(tracked));

  it.each([
    ['https://shop.test/a?b=%20&c=1#d', 'https://shop.test/a?b=%20&c=1#d'],
    ['HTTPS://Shop.test', 'HTTPS://Shop.test'],
    ['https://shop.test/a b', 'https://shop.test/a%20b'],
    ['https://münchen.test/ü', 'https://xn--mnchen-3ya.test/%C3%BC'],
  ])('%s stands in a header as %s', (url, location) => expect(locationOf(url)).toBe(location));

  it('never breaks a header, for any signed target', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const url = `https://shop.test/${text}`;
        if (isTarget(url)) expect(locationOf(url)).toMatch(/^https?:\/\/[\x21-\x7e]+$/);
      }),
    );
  });
});

it.each([
  ['track.shop.test', { baseUrl: 'http://localhost:8080' }, 'https://track.shop.test'],
  [null, { baseUrl: 'https://api.example.test/' }, 'https://api.example.test'],
  [null, {}, 'http://localhost:4711'],
  // local mode: only local-internet resolves a verified host, browsers cannot
  ['track.shop.test', { linkHosts: 'service' }, 'http://localhost:4711'],
  ['track.shop.test', { linkHosts: 'service', baseUrl: 'https://mail.example' }, 'https://mail.example'],
] as const)('links of the host %s begin, with %j, at %s', (host, settings, begin) => {
  expect(publicBaseUrl(host, { httpPort: 4711, linkHosts: 'domains', ...settings })).toBe(begin);
});
