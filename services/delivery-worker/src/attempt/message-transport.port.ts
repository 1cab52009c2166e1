import type { LeasedItem } from '@postmesh/work';
import type { Sender } from '../shaping/group-limits.port.js';
import type { SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import type { LargeMessage, OutgoingMessage } from '../smtp-client/smtp-transaction.js';

/** One message to one recipient. */
export interface TransportRequest {
  /** the recipient's domain */
  destination: string;
  message: OutgoingMessage | LargeMessage;
  /** the sender, for limits narrower than those of a source address */
  sender: Sender;
  /** id of the source address of earlier attempts; null: there was none, or it is unknown */
  source: string | null;
  /** the result of an attempt is unknown: the message leaves by that way or not at all */
  pinned: boolean;
  /** by which rules choose its pool, in addition to the sender */
  tags?: readonly string[] | undefined;
  /** the row of the delivery: its way is written down before the message leaves */
  lease: Pick<LeasedItem, 'id' | 'leaseToken'>;
}

export const MESSAGE_TRANSPORT = Symbol('MessageTransport');

/** Takes a message to the hosts of its destination. Never throws for a failure of the network: that is data. */
export interface MessageTransport {
  send(request: TransportRequest): Promise<SmtpOutcome>;
  /**
   * Begins nothing more: waiting messages come back as `postponed` at once, those in flight may end.
   * @param graceMs after this, connections are cut; a message with an unknown result then comes back as
   * `connection-lost`, any other as `postponed`
   */
  stop(graceMs: number): Promise<void>;
}
