import { createPrivateKey, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { certificateAuthority, selfSignedCertificate } from './self-signed-certificate.js';

test('a certificate signs itself and speaks for its names', () => {
  const { key, cert } = selfSignedCertificate(['mx.example.test', 'localhost', '127.0.0.1']);
  const certificate = new X509Certificate(cert);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(certificate.checkIssued(certificate)).toBe(true);
  expect(certificate.subject).toBe('CN=mx.example.test');
  expect(certificate.checkHost('localhost')).toBe('localhost');
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(certificate.checkHost('other.test')).toBeUndefined();
  expect(certificate.ca).toBe(false);
});

test('dates beyond 2049 are written in their long form', () => {
  const { cert } = selfSignedCertificate(['localhost'], new Date('2045-06-01T12:00:00Z'));
  expect(new X509Certificate(cert).validTo).toContain('2055');
});

test('two certificates have different keys and serial numbers', () => {
  const [one, other] = [1, 2].map(() => new X509Certificate(selfSignedCertificate(['localhost']).cert));
  expect(one?.serialNumber).not.toBe(other?.serialNumber);
  expect(one?.fingerprint256).not.toBe(other?.fingerprint256);
});

test('an authority signs for others, also when it goes on with its key, and says until when', () => {
  const first = certificateAuthority('Local authority');
  const authority = certificateAuthority('Local authority', { key: first.key, cert: first.cert });
  expect(authority.cert).toBe(first.cert);
  const root = new X509Certificate(authority.cert);
  expect([root.ca, root.verify(root.publicKey)]).toEqual([true, true]);
  const issued = new X509Certificate(authority.issue(['mx.example.test']).cert);
  expect([issued.checkIssued(root), issued.verify(root.publicKey), issued.ca]).toEqual([true, true, false]);
  expect(issued.checkHost('mx.example.test')).toBe('mx.example.test');
  const validity = { from: new Date('2020-01-01T00:00:00Z'), to: new Date('2020-02-01T00:00:00Z') };
  const { cert } = authority.issue(['mx.example.test'], validity);
  expect(new X509Certificate(cert).validTo).toBe('Feb  1 00:00:00 2020 GMT');
});
