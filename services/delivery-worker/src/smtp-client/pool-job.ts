import type { OpenFailure } from './open-connection.js';
import type { Route } from './route.js';
import type { SmtpOutcome } from './smtp-outcome.js';
import type { OutgoingMessage } from './smtp-transaction.js';

/** What a message met, and where. */
export interface DeliveryResult extends SmtpOutcome {
  readonly remoteHost: string | null;
  readonly tls: boolean;
}

/** Nobody was asked: every host is being left alone after failures, or this worker is full or stopping. */
export interface Postponed {
  readonly kind: 'postponed';
  /** Unix ms */
  readonly notBefore: number;
  readonly response: string;
}

export type PoolResult = DeliveryResult | Postponed;

/** A message in the pool. */
export interface PoolJob {
  readonly message: OutgoingMessage;
  readonly route: Route;
  readonly resolve: (result: PoolResult) => void;
  /** names of hosts that had their chance */
  readonly tried: Set<string>;
  /** a kept connection turned out to be dead and a fresh one was asked for */
  refreshed: boolean;
  last: DeliveryResult | undefined;
}

/** Spec 2-messages §14.4: 5xx to the greeting bounces only when no host was merely out of reach. */
export function resultOfOpenFailure(
  failure: OpenFailure,
  host: string,
  before: DeliveryResult | undefined,
): DeliveryResult {
  const { permanent, ...reply } = failure;
  if (permanent && before !== undefined && before.kind !== 'rejected') return before;
  return {
    kind: permanent ? 'rejected' : 'deferred',
    ...reply,
    dataSent: 'no',
    remoteHost: host,
    tls: false,
  };
}

/** The server hung up on a kept connection before it saw any of the message: that says nothing about the message. */
export function deservesFreshConnection(outcome: SmtpOutcome, kept: boolean, job: PoolJob): boolean {
  const hungUp = outcome.kind === 'connection-lost' || outcome.smtpCode === 421;
  return kept && hungUp && outcome.dataSent === 'no' && !job.refreshed;
}

/** Another host may take it: this one did not decide, and it cannot have the message already. */
export function mayTryNextHost(outcome: SmtpOutcome): boolean {
  if (outcome.kind === 'deferred') return true;
  return outcome.kind === 'connection-lost' && outcome.dataSent !== 'complete';
}
