import type { SmtpOutcome } from '../smtp-client/smtp-outcome.js';
import type { ConnectionEnd } from './learning.rules.js';

/** The sender of a message: a provider may slow down one sending domain, or all mail of one account. */
export interface Sender {
  readonly senderDomain: string;
  readonly accountId: string;
}

/** A time before which nothing is sent. */
export interface GroupWait {
  readonly until: Date;
  /** for people: what was slowed down, by which host, and why */
  readonly reason: string;
  /** only for this sender: others are sent, so that its messages are claimed unless they have a time of their own */
  readonly isNarrow: boolean;
  /** the provider, or the host that replied */
  readonly by: string;
  readonly since: Date | null;
}

/** A pace that replies have set, of all workers together. */
export interface GroupPace extends Pick<GroupWait, 'by' | 'since' | 'reason'> {
  /** messages a second */
  readonly perSecond: number;
}

/** A transaction, or the opening of a connection, that has ended. */
export interface GroupResult extends Partial<Sender> {
  readonly groupKey: string;
  /** id of the source address; `''` = the only one */
  readonly source: string;
  /** source address in the form that people know */
  readonly address?: string | undefined;
  readonly outcome: SmtpOutcome;
  /** set when it was the opening of a connection, failed or not */
  readonly opened?: boolean;
  /** other connections to the host were open when it failed to open */
  readonly othersLive?: boolean;
  /** the connection was idle or has carried messages before */
  readonly reused?: boolean;
  /** messages that the server had accepted over this connection before */
  readonly goodBefore?: number;
}

/** The reaction of a pool to a result, in addition to the outcome. */
export interface Reaction {
  /** the server ends its connections after some messages: this one may go over another connection */
  readonly endsConnection: boolean;
  /** no other host of the group is asked */
  readonly stopsWalk: boolean;
}

/** The limits of an MX group for a connection pool, which reports its results here. */
export interface GroupLimits {
  /** connections from a source to all hosts of the group; 0 = other workers have them */
  connectionsOf(groupKey: string, source: string): number;
  /** messages over one connection */
  perConnectionOf(groupKey: string, source: string): number;
  /** `undefined` = may be asked now */
  waitOf(groupKey: string, source: string, sender?: Sender): GroupWait | undefined;
  /**
   * Takes a turn for one more message.
   * @param inFlight messages of the group and source that are with a server
   * @returns 0 when it may go now, else ms until the next call may succeed
   */
  takeTurn(groupKey: string, source: string, inFlight: number): number;
  met(result: GroupResult): Reaction;
  /** A connection ended while messages were waiting for it. */
  ended(groupKey: string, source: string, end: ConnectionEnd): void;
  /** Reports how many connections are open, or being opened, now. */
  using(groupKey: string, source: string, connections: number): void;
  /** @param changed is called when the limits of a group have changed */
  watch(changed: (groupKey: string, source: string) => void): void;
}
