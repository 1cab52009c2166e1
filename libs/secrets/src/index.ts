export { selfSignedCertificate } from './self-signed-certificate.js';
export type { KeyAndCertificate } from './self-signed-certificate.js';
export { Pepper, randomText, SecretBox } from './secrets.js';
