import {
  SuppressionsChanged,
  type SuppressionChange,
  type SuppressionSource,
} from '@postmesh/messages-contract';
import type { AccountId, EventEnvelope } from '@postmesh/contracts';

/** The expiry of a permanent suppression (spec 1-platform §14.1). */
export const PERMANENT = new Date('9999-12-31T23:59:59Z');

/** The reason of a suppression that an unsubscribe has made (spec 2-messages §12 rule 5). */
export const UNSUBSCRIBED = 'Unsubscribed';

/** A row of the suppression list. */
export interface Suppression {
  id: string;
  accountId: AccountId;
  /** the sending domain to which it applies */
  domain: string;
  email: string;
  reason: string;
  protected: boolean;
  source: SuppressionSource;
  createdAt: Date;
  expiresAt: Date;
  /** from one sequence, drawn under the lock of the account */
  revision: number;
  /** the message behind it, where one is known */
  messageId?: string | null;
}

/** A cause to suppress an address; its effect depends on the existing row. */
export type SuppressionCause = Omit<Suppression, 'id' | 'revision'>;

/** A time within the contract's range: none is later than `PERMANENT`. */
export const atMostPermanent = (time: Date): Date => (time > PERMANENT ? PERMANENT : time);

/**
 * Causes for the same address and domain are merged: the later expiry, and the recipient's own decision if there is one
 * (spec 1-platform §14.3 rule 4). Otherwise the first counts.
 */
export function mergeCauses(causes: readonly SuppressionCause[]): SuppressionCause[] {
  const merged = new Map<string, SuppressionCause>();
  for (const cause of causes) {
    // neither a domain nor an accepted address contains a blank
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

// An event may have 900,000 bytes; a change with the longest names, and a reason that JSON escapes, has 2,400.
const MAX_CHANGES = 300;

/** The events of changes: in their order, each for one account. */
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

/** RFC 3339, without a zero fraction: the form of a permanent expiry (spec 1-platform §14.1). */
export const timestampOf = (time: Date): string => time.toISOString().replace(/\.000Z$/, 'Z');
