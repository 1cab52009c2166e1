export { selfSignedCertificate } from './certificate/self-signed-certificate.js';
export type { KeyAndCertificate } from './certificate/self-signed-certificate.js';
export { Pepper } from './pepper.js';
export { randomText } from './random-text.js';
export { SecretBox } from './secret-box.js';
