import type { EventOf } from '@postmesh/contracts';
import type { ListedSuppression, SuppressionsChanged } from '@postmesh/messages-contract';

/** A fact for the copy about one account, domain and recipient. */
export interface SuppressionFact {
  readonly accountId: string;
  /** normalised */
  readonly domain: string;
  /** normalised address */
  readonly recipient: string;
  /** null: it was removed */
  readonly suppressedUntil: string | null;
  /** the highest one of an account, domain and recipient is the newest */
  readonly revision: number;
}

export const factsOfChanges = (events: readonly EventOf<typeof SuppressionsChanged>[]): SuppressionFact[] =>
  events.flatMap(({ data }) =>
    data.changes.map((change) => ({
      accountId: data.account_id,
      domain: change.domain,
      recipient: change.recipient,
      suppressedUntil: change.kind === 'removed' ? null : change.expires_at,
      revision: change.revision,
    })),
  );

// The text that the messages service gives to the suppression of a complaint (spec 1-platform §14.3).
const COMPLAINT = 'FBL Complaint Report';

/** The domains of recipients that reported spam; an imported list reports nothing. */
export const complainedDomains = (events: readonly EventOf<typeof SuppressionsChanged>[]): string[] =>
  events.flatMap(({ data }) =>
    data.changes
      .filter(({ kind, reason, source }) => kind !== 'removed' && source !== 'import' && reason === COMPLAINT)
      .map(({ recipient }) => recipient.slice(recipient.lastIndexOf('@') + 1)),
  );

export const factOfListed = (listed: ListedSuppression): SuppressionFact => ({
  accountId: listed.account_id,
  domain: listed.domain,
  recipient: listed.recipient,
  suppressedUntil: listed.expires_at,
  revision: listed.revision,
});

/**
 * The newest fact of each row, in the order of the rows: every writer uses this order, so that two writers of the same
 * rows do not block each other.
 */
export function newestOfEach(facts: readonly SuppressionFact[]): SuppressionFact[] {
  const newest = new Map<string, SuppressionFact>();
  for (const fact of facts) {
    const row = `${fact.accountId} ${fact.domain} ${fact.recipient}`;
    if (fact.revision > (newest.get(row)?.revision ?? Number.NEGATIVE_INFINITY)) newest.set(row, fact);
  }
  return [...newest.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, fact]) => fact);
}
