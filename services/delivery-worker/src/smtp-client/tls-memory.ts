import { isIP } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import type { ConnectionOptions, SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { needKey } from '../tls/host-need.rules.js';
import type { HostNeed, PeerProof } from '../tls/host-need.rules.js';

/** The intended peer of a handshake. */
export interface TlsPeer extends HostNeed {
  readonly host: string;
}

export interface TlsMemoryOptions {
  readonly now?: () => number;
  /** certificates of CAs that are trusted in addition to the usual ones, PEM */
  readonly extraCa?: string | undefined;
}

/** A resumable session, with the proof of its first handshake: a resumed session shows no certificates. */
interface Ticket {
  readonly session: Buffer;
  readonly proof: PeerProof;
  readonly until: number;
}

// Sessions are tickets of a few kilobytes.
const MAX_TICKETS = 5_000;
const MAX_HOSTS = 5_000;
// Longest time that a certificate is trusted after it expired or was replaced.
const TICKET_MS = 60 * 60_000;
const PLAIN_FOR_MS = 10 * 60_000;

/** TLS state of each host: sessions to resume, by their proof, and whether its STARTTLS is broken. */
export class TlsMemory {
  private readonly tickets = new LRUCache<string, Ticket>({ max: MAX_TICKETS });
  private readonly brokenUntil = new LRUCache<string, number>({ max: MAX_HOSTS });
  private readonly secureContext: SecureContext;
  private readonly now: () => number;

  constructor({ now = () => performance.now(), extraCa }: TlsMemoryOptions = {}) {
    this.now = now;
    const ca = extraCa === undefined ? undefined : [...rootCertificates, extraCa];
    this.secureContext = createSecureContext({ minVersion: 'TLSv1.2', ca });
  }

  /**
   * TLS 1.2 or better with any certificate (RFC 7435): its proof is compared afterwards with the needs.
   * @returns also the proof that a resumed session inherits
   */
  options(peer: TlsPeer): { options: ConnectionOptions; resumes: PeerProof | undefined } {
    const servername = peer.dane?.base ?? peer.host;
    const ticket = this.ticketFor(peer);
    return {
      resumes: ticket?.proof,
      options: {
        secureContext: this.secureContext,
        rejectUnauthorized: false,
        // Checks the chain alone; the name is checked with the proof.
        checkServerIdentity: () => undefined,
        ...(isIP(servername) === 0 ? { servername } : {}),
        ...(ticket === undefined ? {} : { session: ticket.session }),
      },
    };
  }

  keepSession({ host }: TlsPeer, session: Buffer, proof: PeerProof): void {
    this.tickets.set(`${host}|${proofKey(proof)}`, { session, proof, until: this.now() + TICKET_MS });
  }

  /** The handshake failed: for some minutes this host is used in clear text without another attempt at TLS. */
  isBroken(host: string): boolean {
    const until = this.brokenUntil.get(host);
    return until !== undefined && until > this.now();
  }

  /** Only for hosts without a need. */
  markBroken(host: string): void {
    this.brokenUntil.set(host, this.now() + PLAIN_FOR_MS);
    for (const proof of ['pkix', 'untrusted']) this.tickets.delete(`${host}|${proof}`);
  }

  private ticketFor(peer: TlsPeer): Ticket | undefined {
    const fitting = peer.dane ? [needKey({ need: 'dane', dane: peer.dane })] : ['pkix'];
    const wanted = (peer.need ?? 'none') === 'none' ? [...fitting, 'untrusted'] : fitting;
    const tickets = wanted.map((proof) => this.tickets.get(`${peer.host}|${proof}`));
    return tickets.find((ticket) => ticket !== undefined && ticket.until > this.now());
  }
}

const proofKey = ({ dane, verdict }: PeerProof): string => (dane === undefined ? verdict : `dane:${dane}`);
