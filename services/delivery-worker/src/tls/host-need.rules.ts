import type { TlsPolicy, TlsVerdict } from '@postmesh/delivery-worker-contract';

/** Why there is no TLS, or no better proof: result types of reports (RFC 8460 §4.3.1). */
export type TlsTrouble =
  | 'starttls-not-supported'
  | 'certificate-host-mismatch'
  | 'certificate-expired'
  | 'certificate-not-trusted'
  | 'validation-failure';

/** The proof that a connection to a host needs before it gets a message of a destination, weakest first. */
export type TlsNeed = 'none' | 'starttls' | 'pkix' | 'dane';

/** A TLSA record (RFC 6698 §2.1). */
export interface TlsaRecord {
  readonly usage: number;
  readonly selector: number;
  readonly matching: number;
  readonly data: Buffer;
}

/** The records for checking certificates of a host (RFC 7672 §3). */
export interface DaneRecords {
  /** of records and base: a proof by the same ones holds for every destination */
  readonly key: string;
  readonly records: readonly TlsaRecord[];
  /** TLSA base domain: the name of the host, or the target of a secure CNAME; also the name in SNI */
  readonly base: string;
  /** domain of the recipient: under usage 2 a certificate may have this name instead */
  readonly destination: string;
}

/** The proof that a host needs, the policy that requires it, and the records for `dane`. Missing = nothing. */
export interface HostNeed {
  readonly need?: TlsNeed;
  readonly policy?: TlsPolicy;
  readonly dane?: DaneRecords;
}

/** The proof of the other end of a connection from its handshake. */
export interface PeerProof {
  readonly verdict: TlsVerdict;
  /** a CA confirms the name of the host, also where DANE decides */
  readonly pkix: boolean;
  /** the records that were met (`daneProof`) */
  readonly dane?: string;
  /** why the proof is no better, for people */
  readonly problem?: string;
  /** the same for reports */
  readonly trouble?: TlsTrouble;
}

export const CLEAR: PeerProof = { verdict: 'clear', pkix: false };

/** @param name the name that met the records: the destination's own counts for this destination only */
export function daneProof(dane: DaneRecords, name: 'base' | 'destination'): string {
  return name === 'base' ? dane.key : `${dane.key}@${dane.destination}`;
}

export function meets(proof: PeerProof, { need = 'none', dane }: HostNeed): boolean {
  if (need === 'none') return true;
  if (need === 'starttls') return proof.verdict !== 'clear';
  if (need === 'pkix') return proof.pkix;
  if (dane === undefined || proof.dane === undefined) return false;
  return proof.dane === daneProof(dane, 'base') || proof.dane === daneProof(dane, 'destination');
}

/** Hosts with the same key need the same proof. */
export function needKey({ need = 'none', dane }: HostNeed): string {
  return need === 'dane' ? `dane:${dane?.key ?? ''}` : need;
}

/** Whether a connection that is opened for the first need will also meet the second one. */
export function covers(opened: HostNeed, wanted: HostNeed): boolean {
  const { need = 'none' } = wanted;
  if (need === 'none') return true;
  if (need === 'starttls') return (opened.need ?? 'none') !== 'none';
  return needKey(opened) === needKey(wanted);
}

const WHO_ASKS: Readonly<Record<TlsPolicy, string>> = { none: '', sts: ' (MTA-STS)', dane: ' (DANE)' };

/** The policy that requires the proof, for people. */
export const whoAsks = ({ policy = 'none' }: HostNeed): string => WHO_ASKS[policy];
