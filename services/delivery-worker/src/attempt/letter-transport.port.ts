import type { AttemptMet } from '../classify/attempt-outcome.rules.js';
import type { PreparedLetter } from '../signing/prepared-letters.js';

/** One letter to one recipient. */
export interface TransportRequest {
  /** the recipient's domain */
  destination: string;
  envelopeFrom: string;
  recipient: string;
  letter: PreparedLetter;
}

export const LETTER_TRANSPORT = Symbol('LetterTransport');

/** Takes a letter to the hosts of its destination. Never throws for what the network does: that is data. */
export interface LetterTransport {
  send(request: TransportRequest): Promise<AttemptMet>;
  /**
   * Begins nothing more: what waits comes back as `postponed` at once, what is under way may end.
   * @param graceMs after this, connections are cut; a letter whose end nobody knows then comes back as
   * `connection-lost`, any other as `postponed`
   */
  stop(graceMs: number): Promise<void>;
}
