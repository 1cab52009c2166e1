import { X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { bearsName } from './certificate-name.rules.js';
import { matchDane } from './dane.rules.js';
import { daneProof } from './host-need.rules.js';
import type { HostNeed, PeerProof, TlsTrouble } from './host-need.rules.js';

// A chain of four is long; OpenSSL takes no more certificates than these.
const MAX_CHAIN = 10;

/** The proof of a full handshake. It is computed also where nothing depends on it: the connection may be shared. */
export function judgePeer(secure: TLSSocket, host: HostNeed & { readonly host: string }): PeerProof {
  const chain = chainOf(secure);
  const problem = pkixProblem(secure, chain[0], host.host);
  const pkix = problem === undefined;
  const met = host.dane && matchDane(chain, host.dane, new Date());
  if (host.dane && met) return { verdict: 'dane', pkix, dane: daneProof(host.dane, met) };
  const verdict = pkix ? 'pkix' : 'untrusted';
  return { verdict, pkix, ...problem };
}

/** Why no CA confirms this name. */
function pkixProblem(
  secure: TLSSocket,
  leaf: X509Certificate | undefined,
  name: string,
): { problem: string; trouble: TlsTrouble } | undefined {
  if (leaf === undefined) return { problem: 'it shows no certificate', trouble: 'validation-failure' };
  // Without a check of names in the handshake this is the verdict on the chain.
  if (!secure.authorized) {
    const error = String(secure.authorizationError);
    const trouble = error.includes('EXPIRED') ? 'certificate-expired' : 'certificate-not-trusted';
    return { problem: `its certificate is not trusted (${error})`, trouble };
  }
  if (bearsName(leaf, name)) return undefined;
  return { problem: 'its certificate is for another name', trouble: 'certificate-host-mismatch' };
}

/** The server's certificate first, each followed by its issuer. */
function chainOf(secure: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next: DetailedPeerCertificate | undefined = secure.getPeerCertificate(true);
  while (next?.raw !== undefined && chain.length < MAX_CHAIN) {
    chain.push(new X509Certificate(next.raw));
    const issuer: DetailedPeerCertificate | undefined = next.issuerCertificate;
    // The root is its own issuer.
    next = issuer === undefined || issuer.raw?.equals(next.raw) ? undefined : issuer;
  }
  return chain;
}
