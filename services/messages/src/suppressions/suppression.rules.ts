import {
  SuppressionsChanged,
  type SuppressionChange,
  type SuppressionSource,
} from '@postmesh/messages-contract';
import type { AccountId, EventEnvelope } from '@postmesh/contracts';

/** The end of a suppression that has none (spec 1-platform §14.1). */
export const PERMANENT = new Date('9999-12-31T23:59:59Z');

/** A row of the suppression list. */
export interface Suppression {
  id: string;
  accountId: AccountId;
  /** the sending domain that it applies to */
  domain: string;
  email: string;
  reason: string;
  protected: boolean;
  source: SuppressionSource;
  createdAt: Date;
  expiresAt: Date;
  /** one sequence, drawn under the lock of the account */
  revision: number;
}

/** A cause to suppress an address; what becomes of it depends on the row that is there. */
export type SuppressionCause = Omit<Suppression, 'id' | 'revision'>;

/** A time that the contract can write: nothing is later than what is permanent. */
export const atMostPermanent = (time: Date): Date => (time > PERMANENT ? PERMANENT : time);

/**
 * Causes for the same address and domain are one: the later end, and the recipient's decision if any of them is
 * (spec 1-platform §14.3 rule 4). Otherwise the first counts.
 */
export function mergeCauses(causes: readonly SuppressionCause[]): SuppressionCause[] {
  const merged = new Map<string, SuppressionCause>();
  for (const cause of causes) {
    // a blank stands in no domain and in none of the addresses that we take
    const key = `${cause.accountId} ${cause.domain} ${cause.email}`;
    const first = merged.get(key);
    merged.set(key, first ? mergeTwo(first, cause) : cause);
  }
  return [...merged.values()];
}

const mergeTwo = (first: SuppressionCause, second: SuppressionCause): SuppressionCause => ({
  ...first,
  protected: first.protected || second.protected,
  expiresAt: first.expiresAt > second.expiresAt ? first.expiresAt : second.expiresAt,
});

export interface ChangedSuppression extends Suppression {
  kind: SuppressionChange['kind'];
}

// An event may have 900,000 bytes; a change with the longest names, and a reason that JSON has to escape, has 2,400.
const MAX_CHANGES = 300;

/** What other services are told of changes: in their order, of one account each. */
export function suppressionEvents(changes: readonly ChangedSuppression[]): EventEnvelope[] {
  const accounts = new Set(changes.map(({ accountId }) => accountId));
  return [...accounts].flatMap((accountId) => {
    const ofAccount = changes.filter((change) => change.accountId === accountId);
    const parts = Math.ceil(ofAccount.length / MAX_CHANGES);
    return Array.from({ length: parts }, (_, nth) => {
      const part = ofAccount.slice(nth * MAX_CHANGES, (nth + 1) * MAX_CHANGES);
      const data = { account_id: accountId, changes: part.map(changeOf) };
      return SuppressionsChanged.make(data, { account_id: accountId });
    });
  });
}

const changeOf = (row: ChangedSuppression): SuppressionChange => ({
  suppression_id: row.id,
  domain: row.domain,
  recipient: row.email,
  kind: row.kind,
  reason: row.reason,
  protected: row.protected,
  created_at: row.createdAt.toISOString(),
  expires_at: timestampOf(row.expiresAt),
  source: row.source,
  revision: row.revision,
});

/** RFC 3339 without a fraction where there is none: the end of a permanent one is written so (spec 1-platform §14.1). */
export const timestampOf = (time: Date): string => time.toISOString().replace(/\.000Z$/, 'Z');
