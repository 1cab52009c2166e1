import { OIDC_COOKIE } from '@postmesh/contracts';

/** Time for a person to sign in at the provider. */
export const FLOW_MS = 600_000;

const BROWSER_SECRET = /^[A-Za-z0-9]{64}$/;

export const isBrowserSecret = (text: string | undefined): text is string =>
  text !== undefined && BROWSER_SECRET.test(text);

/** The `Set-Cookie` header of the browser in which a flow has begun. Requests of our own pages carry it, and no other ones. */
export const browserCookie = (secret: string): string =>
  `${OIDC_COOKIE}=${secret}; Max-Age=${FLOW_MS / 1_000}; Path=/; Secure; HttpOnly; SameSite=Strict`;
