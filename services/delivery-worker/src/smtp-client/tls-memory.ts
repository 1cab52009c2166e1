import type { ConnectionOptions } from 'node:tls';
import { isIP } from 'node:net';

// Sessions are tickets of a few kilobytes; servers forget them within hours.
const MOST_HOSTS = 5_000;
const PLAIN_FOR_MS = 10 * 60_000;

/** What was learnt about TLS with each host: the session to resume, and that a host cannot do what it offers. */
export class TlsMemory {
  private readonly sessions = new Map<string, Buffer>();
  private readonly brokenUntil = new Map<string, number>();

  constructor(private readonly now: () => number = Date.now) {}

  /** Opportunistic (RFC 7435): TLS 1.2 or better, whoever the certificate names; it beats the clear text. */
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
    keep(this.sessions, host, session);
  }

  /** The handshake failed: for some minutes this host is spoken to in the clear without another try. */
  isBroken(host: string): boolean {
    const until = this.brokenUntil.get(host);
    if (until === undefined) return false;
    if (until > this.now()) return true;
    this.brokenUntil.delete(host);
    return false;
  }

  markBroken(host: string): void {
    this.sessions.delete(host);
    keep(this.brokenUntil, host, this.now() + PLAIN_FOR_MS);
  }
}

/** The most recently kept stay. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= MOST_HOSTS) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    break;
  }
}
