import type { SmtpOutcome } from '../smtp-client/smtp-outcome.js';

/** Whose message it is: a provider may slow down one sending domain, and we one account. */
export interface Sender {
  readonly senderDomain: string;
  readonly accountId: string;
}

/** Nothing goes out before. */
export interface GroupWait {
  readonly until: Date;
  /** for people: who slowed down what, and why */
  readonly reason: string;
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
  /** other connections to the group lived when it failed to open */
  readonly othersLive?: boolean;
  /** messages that the server had accepted over this connection before */
  readonly goodBefore?: number;
}

/** What a connection pool may use of an MX group now, and whom it tells what happened. */
export interface GroupLimits {
  /** connections from a source to all hosts of the group */
  connectionsOf(groupKey: string, source: string): number;
  /** messages over one connection */
  perConnectionOf(groupKey: string, source: string): number;
  /** `undefined` = may be asked now */
  waitOf(groupKey: string, source: string, sender?: Sender): GroupWait | undefined;
  met(result: GroupResult): void;
}

/** The same limits for every group, of which nothing is learnt. */
export const constantLimits = ({
  connections = 20,
  perConnection = 500,
}: {
  connections?: number | undefined;
  perConnection?: number | undefined;
} = {}): GroupLimits => ({
  connectionsOf: () => connections,
  perConnectionOf: () => perConnection,
  waitOf: () => undefined,
  met: () => undefined,
});
