import type { Sender } from '../shaping/group-limits.port.js';
import type { PreparedMessage } from '../signing/prepared-messages.js';
import type { SmtpOutcome } from '../smtp-client/smtp-outcome.js';

/** One message to one recipient. */
export interface TransportRequest {
  /** the recipient's domain */
  destination: string;
  envelopeFrom: string;
  recipient: string;
  message: PreparedMessage;
  /** whose it is, for limits narrower than those of a source address */
  sender: Sender;
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
