import { SESSION_COOKIE } from '@postmesh/contracts';
import type { SignInWay } from './session.entity.js';

const HOUR_MS = 3_600_000;
/** A session ends when it was not used for so long. */
export const IDLE_MS = 12 * HOUR_MS;
/** A session ends so long after its begin, used or not. */
export const LONGEST_MS = 30 * 24 * HOUR_MS;
/** A session by OpenID Connect is no longer without a look at the provider, where the person may be gone (decision 123). */
export const LONGEST_OIDC_MS = 24 * HOUR_MS;

/** A session may do what needs a passkey for so long after the use of one. */
export const CONFIRMED_MS = 600_000;

/**
 * A gateway looks a session up again after so long. Each change of it reaches gateways at once; this bounds one that an
 * accounts process of the release before does not publish.
 */
export const LOOK_AGAIN_MS = 300_000;

const MAX_USER_AGENT = 300;

/** The end of a session that is not used from now on. */
export const endOf = ({ way, createdAt, lastUsedAt }: Lived): Date =>
  new Date(
    Math.min(
      createdAt.getTime() + (way === 'oidc' ? LONGEST_OIDC_MS : LONGEST_MS),
      lastUsedAt.getTime() + IDLE_MS,
    ),
  );

interface Lived {
  way: SignInWay;
  createdAt: Date;
  lastUsedAt: Date;
}

// Secure and no domain: needed by the prefix `__Host-`. Lax, so that links from mail open the console signed in.
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** The `Set-Cookie` header of a new session. */
export const sessionCookie = (secret: string): string =>
  `${SESSION_COOKIE}=${secret}; Max-Age=${LONGEST_MS / 1_000}; ${ATTRIBUTES}`;

/** The `Set-Cookie` header that removes the cookie. */
export const NO_SESSION_COOKIE = `${SESSION_COOKIE}=; Max-Age=0; ${ATTRIBUTES}`;

/** A `User-Agent` for a list that people read. */
export const deviceOf = (userAgent: string): string =>
  userAgent
    .replace(/[\p{Cc}\p{Cs}]+/gu, ' ')
    .trim()
    .slice(0, MAX_USER_AGENT);
