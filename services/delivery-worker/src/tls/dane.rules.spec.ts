import { createHash, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { issueCertificate, selfSignedCertificate } from '@postmesh/secrets';
import { isUsable, matchDane, recordsKey } from './dane.rules.js';
import type { TlsaRecord } from './host-need.rules.js';

const NOW = new Date();
const DAY_MS = 86_400_000;
const base = 'mx.a.test';
const destination = 'a.test';
const x509 = ({ cert }: { cert: string }) => new X509Certificate(cert);

const rootPair = { name: 'Root', ...issueCertificate({ names: ['Root'], isAuthority: true }) };
const midPair = { name: 'Mid', ...issueCertificate({ names: ['Mid'], issuer: rootPair, isAuthority: true }) };
const issued = (names: string[], more: { from?: Date; until?: Date } = {}) =>
  x509(issueCertificate({ names, issuer: midPair, ...more }));
const root = x509(rootPair);
const mid = x509(midPair);
const leaf = issued([base]);
const chain = [leaf, mid, root];

const keyOf = (certificate: X509Certificate) => certificate.publicKey.export({ type: 'spki', format: 'der' });
function record(fields: readonly [number, number, number], certificate: X509Certificate): TlsaRecord {
  const [usage, selector, matching] = fields;
  const bytes = selector === 0 ? certificate.raw : keyOf(certificate);
  const digest = matching === 1 ? 'sha256' : 'sha512';
  return {
    usage,
    selector,
    matching,
    data: matching === 0 ? bytes : createHash(digest).update(bytes).digest(),
  };
}
const match = (records: TlsaRecord[], shown: X509Certificate[] = chain) =>
  matchDane(shown, { key: 'k', records, base, destination }, NOW);

const FORMS = [0, 1].flatMap((selector) => [0, 1, 2].map((matching) => [selector, matching] as const));

describe('usage 3 (RFC 7672 §3.1.1)', () => {
  it.each(FORMS)('selector %i, matching type %i names the certificate', (selector, matching) => {
    expect(match([record([3, selector, matching], leaf)])).toBe('base');
    expect(match([record([3, selector, matching], x509(selfSignedCertificate([base])))])).toBeUndefined();
    expect(match([record([3, selector, matching], mid)])).toBeUndefined();
  });

  it('requires no name, no dates and no chain', () => {
    const old = x509(selfSignedCertificate(['other.test'], new Date('2001-01-01')));
    expect(match([record([3, 1, 1], old)], [old])).toBe('base');
  });
});

describe('usage 2 (RFC 7672 §3.1.2)', () => {
  it.each(FORMS)('selector %i, matching type %i names a CA of the chain', (selector, matching) => {
    for (const anchor of [mid, root]) expect(match([record([2, selector, matching], anchor)])).toBe('base');
    const stranger = x509(issueCertificate({ names: ['Root'], isAuthority: true }));
    expect(match([record([2, selector, matching], stranger)])).toBeUndefined();
    expect(match([record([2, selector, matching], leaf)])).toBeUndefined();
  });

  it('needs the CA to be sent, unless the record holds it', () => {
    expect(match([record([2, 0, 0], mid)], [leaf])).toBe('base');
    expect(match([record([2, 1, 0], mid)], [leaf])).toBe('base');
    expect(match([record([2, 0, 1], mid)], [leaf])).toBeUndefined();
    expect(match([record([2, 0, 0], root)], [leaf])).toBeUndefined();
  });

  it('requires the name of the host or of the destination', () => {
    const by = (names: string[]) => match([record([2, 0, 1], mid)], [issued(names), mid]);
    expect(by(['other.test', base])).toBe('base');
    expect(by(['*.a.test'])).toBe('base');
    expect(by([destination])).toBe('destination');
    expect(by(['other.test'])).toBeUndefined();
    expect(by(['*.test'])).toBeUndefined();
  });

  it('requires valid dates, up to the CA', () => {
    const old = { from: new Date(NOW.getTime() - 90 * DAY_MS), until: new Date(NOW.getTime() - DAY_MS) };
    expect(match([record([2, 0, 1], mid)], [issued([base], old), mid])).toBeUndefined();
    const young = { from: new Date(NOW.getTime() + 3 * DAY_MS) };
    expect(match([record([2, 0, 1], mid)], [issued([base], young), mid])).toBeUndefined();
    const oldMid = {
      name: 'Mid',
      ...issueCertificate({ names: ['Mid'], issuer: rootPair, isAuthority: true, ...old }),
    };
    const below = x509(issueCertificate({ names: [base], issuer: oldMid }));
    expect(match([record([2, 0, 1], root)], [below, x509(oldMid), root])).toBeUndefined();
  });

  it('requires signatures, and authorities that are CAs', () => {
    const forged = { name: 'Mid', ...issueCertificate({ names: ['Mid'], isAuthority: true }) };
    const below = x509(issueCertificate({ names: [base], issuer: forged }));
    expect(match([record([2, 0, 1], mid)], [below, mid])).toBeUndefined();
    const noCa = { name: 'b.test', ...issueCertificate({ names: ['b.test'], issuer: midPair }) };
    const signedByIt = x509(issueCertificate({ names: [base], issuer: noCa }));
    expect(match([record([2, 0, 1], mid)], [signedByIt, x509(noCa), mid])).toBeUndefined();
    expect(match([record([2, 0, 0], x509(noCa))], [signedByIt])).toBeUndefined();
  });
});

describe('several records', () => {
  it('require one of them', () => {
    const wrong = record([3, 1, 1], x509(selfSignedCertificate([base])));
    expect(match([wrong, record([3, 1, 1], leaf)])).toBe('base');
    expect(match([wrong, record([2, 1, 1], mid)])).toBe('base');
    expect(match([wrong])).toBeUndefined();
    expect(match([])).toBeUndefined();
    expect(match([wrong], [])).toBeUndefined();
  });

  it('of one kind count by their strongest digest (RFC 7671 §9)', () => {
    const stale = record([3, 1, 2], x509(selfSignedCertificate([base])));
    expect(match([stale, record([3, 1, 1], leaf)])).toBeUndefined();
    expect(match([stale, record([3, 0, 1], leaf)])).toBe('base');
    expect(match([stale, record([3, 1, 0], leaf)])).toBe('base');
  });

  it('have one key, in any order', () => {
    const [one, two] = [record([3, 1, 1], leaf), record([3, 1, 1], mid)];
    expect(recordsKey(base, [one, two])).toBe(recordsKey(base, [two, one]));
    expect(recordsKey(base, [one])).not.toBe(recordsKey(base, [one, two]));
    expect(recordsKey('mx.b.test', [one])).not.toBe(recordsKey(base, [one]));
  });
});

describe('a record is usable', () => {
  const bytes = (count: number) => Buffer.alloc(count, 7);
  it.each([
    [[3, 1, 1], bytes(32), true],
    [[3, 1, 2], bytes(64), true],
    [[2, 0, 1], bytes(32), true],
    [[0, 0, 1], bytes(32), false],
    [[1, 1, 1], bytes(32), false],
    [[4, 1, 1], bytes(32), false],
    [[3, 2, 1], bytes(32), false],
    [[3, 1, 3], bytes(32), false],
    [[3, 1, 1], bytes(31), false],
    [[3, 1, 2], bytes(32), false],
    [[3, 0, 0], leaf.raw, true],
    [[3, 1, 0], keyOf(leaf), true],
    [[3, 0, 0], keyOf(leaf), false],
    [[2, 1, 0], bytes(90), false],
    [[3, 1, 1], bytes(0), false],
  ] as const)('%j: %#', ([usage, selector, matching], data, usable) =>
    expect(isUsable({ usage, selector, matching, data: Buffer.from(data) })).toBe(usable),
  );
});
