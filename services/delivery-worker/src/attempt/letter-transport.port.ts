import type { RemoteAnswer } from '@postmesh/contracts';
import type { PreparedLetter } from '../signing/prepared-letters.js';

/** One letter to one recipient. */
export interface TransportRequest {
  /** the recipient's domain */
  destination: string;
  envelopeFrom: string;
  recipient: string;
  letter: PreparedLetter;
}

/** What the other side said, or that it could not be heard (spec 2-messages §14). */
export interface TransportResult {
  verdict: 'accepted' | 'permanent' | 'temporary';
  answer: RemoteAnswer;
  remoteHost: string | null;
  tls: boolean;
  /** the final dot was sent and no answer came */
  uncertain: boolean;
}

export const LETTER_TRANSPORT = Symbol('LetterTransport');

/** Takes a letter to the hosts of its destination. Never throws for what the network does: that is data. */
export interface LetterTransport {
  send(request: TransportRequest): Promise<TransportResult>;
  close(): Promise<void>;
}
