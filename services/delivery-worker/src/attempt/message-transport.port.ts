import type { Sender } from '../shaping/group-limits.port.js';
import type { SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import type { LargeMessage, OutgoingMessage } from '../smtp-client/smtp-transaction.js';

/** One message to one recipient. */
export interface TransportRequest {
  /** the recipient's domain */
  destination: string;
  message: OutgoingMessage | LargeMessage;
  /** whose it is, for limits narrower than those of a source address */
  sender: Sender;
  /** id of the source address of earlier attempts; null: none was made, or nobody knows */
  source: string | null;
}

export const MESSAGE_TRANSPORT = Symbol('MessageTransport');

/** Takes a message to the hosts of its destination. Never throws for what the network does: that is data. */
export interface MessageTransport {
  send(request: TransportRequest): Promise<SmtpOutcome>;
  /**
   * Begins nothing more: what waits comes back as `postponed` at once, what is under way may end.
   * @param graceMs after this, connections are cut; a message whose end nobody knows then comes back as
   * `connection-lost`, any other as `postponed`
   */
  stop(graceMs: number): Promise<void>;
}
