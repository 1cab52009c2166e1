import { hash } from 'node:crypto';
import { randomText } from '@postmesh/secrets';

const MINUTE_MS = 60_000;
/** A browser that a person has left stays signed in no longer than this. */
export const IDLE_MS = 30 * MINUTE_MS;
const LONGEST_MS = 12 * 60 * MINUTE_MS;
const MAX_SESSIONS = 1_000;
const SECRET_LENGTH = 64;

export const OPERATOR_COOKIE = '__Host-postmesh-operator';

interface Session {
  readonly operator: string;
  readonly beganAt: number;
  usedAt: number;
}

/**
 * Browsers of operators, of this process alone: a restart ends them, and a removed token with it (decision 121). Keeps hashes
 * of the secrets.
 */
export class OperatorSessions {
  /** the least recently used first */
  private readonly sessions = new Map<string, Session>();

  /** @returns the secret of a new session; where there are too many, the one that was not used for the longest time ends */
  begin(operator: string): string {
    const secret = randomText(SECRET_LENGTH);
    const now = Date.now();
    this.sessions.set(keyOf(secret), { operator, beganAt: now, usedAt: now });
    for (const [key, session] of this.sessions) {
      if (!isOver(session, now) && this.sessions.size <= MAX_SESSIONS) break;
      this.sessions.delete(key);
    }
    return secret;
  }

  /** Uses a session. @returns its operator; undefined when it has ended */
  use(secret: string): string | undefined {
    const key = keyOf(secret);
    const session = this.sessions.get(key);
    if (!session) return undefined;
    this.sessions.delete(key);
    const now = Date.now();
    if (isOver(session, now)) return undefined;
    session.usedAt = now;
    this.sessions.set(key, session);
    return session.operator;
  }

  end(secret: string): void {
    this.sessions.delete(keyOf(secret));
  }
}

const keyOf = (secret: string): string => hash('sha256', secret, 'base64');

const isOver = ({ beganAt, usedAt }: Session, now: number): boolean =>
  now - usedAt >= IDLE_MS || now - beganAt >= LONGEST_MS;

/** Strict: no link on another site opens a page with it. */
const cookie = (value: string, more = ''): string =>
  `${OPERATOR_COOKIE}=${value}; ${more}Path=/; Secure; HttpOnly; SameSite=Strict`;

export const operatorCookie = (secret: string): string => cookie(secret);
export const NO_OPERATOR_COOKIE = cookie('', 'Max-Age=0; ');
