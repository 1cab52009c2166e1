import { createPrivateKey, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { issueCertificate, selfSignedCertificate } from './self-signed-certificate.js';

test('a certificate is self-signed and valid for its names', () => {
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

test('an authority signs certificates of others', () => {
  const root = { name: 'Test CA', ...issueCertificate({ names: ['Test CA'], isAuthority: true }) };
  const until = new Date('2020-02-01T00:00:00Z');
  const leaf = issueCertificate({ names: ['mx.test'], issuer: root, from: new Date('2020-01-01'), until });
  const [certificate, issuer] = [leaf.cert, root.cert].map((pem) => new X509Certificate(pem));
  expect(issuer?.ca).toBe(true);
  expect(certificate?.ca).toBe(false);
  expect(certificate?.checkIssued(issuer!)).toBe(true);
  expect(certificate?.verify(issuer!.publicKey)).toBe(true);
  expect(certificate?.validTo).toContain('2020');
});
