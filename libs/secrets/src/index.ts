export { issueCertificate, selfSignedCertificate } from './self-signed-certificate.js';
export type { KeyAndCertificate } from './self-signed-certificate.js';
export type { PepperedColumn, SealedColumn } from './secret-columns.js';
export { deriveKeys, Pepper, randomText, reportAddressKeys, SecretBox } from './secrets.js';
