import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { LRUCache } from 'lru-cache';

// Sessions are tickets of a few kilobytes; servers expire them within hours.
const MAX_HOSTS = 5_000;
const PLAIN_FOR_MS = 10 * 60_000;

/** What is known about TLS with each host: the session to resume, and whether its STARTTLS is broken. */
export class TlsMemory {
  private readonly sessions = new LRUCache<string, Buffer>({ max: MAX_HOSTS });
  private readonly brokenUntil = new LRUCache<string, number>({ max: MAX_HOSTS });

  constructor(private readonly now: () => number = Date.now) {}

  /** Opportunistic (RFC 7435): TLS 1.2 or better with any certificate, which is still better than clear text. */
  options(host: string): ConnectionOptions {
    const session = this.sessions.get(host);
    return {
      minVersion: 'TLSv1.2',
      rejectUnauthorized: false,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(session === undefined ? {} : { session }),
    };
  }

  keepSession(host: string, session: Buffer): void {
    this.sessions.set(host, session);
  }

  /** The handshake failed: for some minutes this host is used in clear text without another attempt at TLS. */
  isBroken(host: string): boolean {
    const until = this.brokenUntil.get(host);
    return until !== undefined && until > this.now();
  }

  markBroken(host: string): void {
    this.sessions.delete(host);
    this.brokenUntil.set(host, this.now() + PLAIN_FOR_MS);
  }
}
