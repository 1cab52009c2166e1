import { createHash, createHmac } from 'node:crypto';
import { randomText } from '@postmesh/secrets';

/** Time for a person to sign in at the provider. */
export const FLOW_MS = 600_000;

/** The values of one authorization request that its response has to prove. */
export interface Flow {
  readonly state: string;
  readonly nonce: string;
  /** of PKCE (RFC 7636) */
  readonly verifier: string;
}

const STATE_LENGTH = 43;
const BROWSER_LENGTH = 64;
const BROWSER_SECRET = /^[A-Za-z0-9]{64}$/;

export const isBrowserSecret = (text: string | undefined): text is string =>
  text !== undefined && BROWSER_SECRET.test(text);

/** @param given the secret of a browser in which another flow may be under way, in another tab */
export const newBrowser = (given: string | undefined): string =>
  isBrowserSecret(given) ? given : randomText(BROWSER_LENGTH);

/** @param purpose the page reads it, too */
export const newState = (purpose: string): string => `${purpose}.${randomText(STATE_LENGTH)}`;

/** @param response the query with which a browser came back */
export const stateOf = (response: string): string | null => new URLSearchParams(response).get('state');

/** States and the secrets of browsers are kept as their hashes alone. */
export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Nonce and verifier are made of the secret of the browser, so that what is kept of a flow cannot complete it. */
export const flowOf = (state: string, browser: string): Flow => {
  const made = (what: string) => createHmac('sha256', browser).update(`${what} ${state}`).digest('base64url');
  return { state, nonce: made('nonce'), verifier: made('verifier') };
};

/** The `Set-Cookie` header of the browser in which a flow has begun. Requests of our own pages carry it, and no other ones. */
export const browserCookie = (name: string, secret: string): string =>
  `${name}=${secret}; Max-Age=${FLOW_MS / 1_000}; Path=/; Secure; HttpOnly; SameSite=Strict`;
