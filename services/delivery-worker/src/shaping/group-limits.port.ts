import type { SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import type { ConnectionEnd } from './learning.rules.js';

/** Whose message it is: a provider may slow down one sending domain, or what one account sends. */
export interface Sender {
  readonly senderDomain: string;
  readonly accountId: string;
}

/** Nothing goes out before. */
export interface GroupWait {
  readonly until: Date;
  /** for people: who slowed down what, and why */
  readonly reason: string;
  /** only of this sender: others go out, so that its messages are claimed unless they have a time of their own */
  readonly isNarrow: boolean;
}

/** A transaction, or the opening of a connection, that has ended. */
export interface GroupResult extends Partial<Sender> {
  readonly groupKey: string;
  /** id of the source address; `''` = the only one */
  readonly source: string;
  /** source address as a person knows it */
  readonly address?: string | undefined;
  readonly outcome: SmtpOutcome;
  /** set when it was the opening of a connection, which failed or not */
  readonly opened?: boolean;
  /** other connections to the host lived when it failed to open */
  readonly othersLive?: boolean;
  /** the connection was idle or has carried messages before */
  readonly reused?: boolean;
  /** messages that the server had accepted over this connection before */
  readonly goodBefore?: number;
}

/** What a pool makes of a result beside the outcome. */
export interface Reaction {
  /** the server ends its connections after some messages: this one may go over another connection */
  readonly endsConnection: boolean;
  /** no other host of the group is asked */
  readonly stopsWalk: boolean;
}

/** What a connection pool may use of an MX group now, and whom it tells what happened. */
export interface GroupLimits {
  /** connections from a source to all hosts of the group; 0 = others have them */
  connectionsOf(groupKey: string, source: string): number;
  /** messages over one connection */
  perConnectionOf(groupKey: string, source: string): number;
  /** `undefined` = may be asked now */
  waitOf(groupKey: string, source: string, sender?: Sender): GroupWait | undefined;
  /**
   * Takes a turn for one more message.
   * @param inFlight messages of the group and source that are with a server
   * @returns 0 when it may go now, else ms until it may be asked again
   */
  takeTurn(groupKey: string, source: string, inFlight: number): number;
  met(result: GroupResult): Reaction;
  /** A connection ended for which messages were waiting. */
  ended(groupKey: string, source: string, end: ConnectionEnd): void;
  /** So many connections are open, or being opened, now. */
  using(groupKey: string, source: string, connections: number): void;
  /** @param changed is called when what may be used of a group has changed */
  watch(changed: (groupKey: string, source: string) => void): void;
}
