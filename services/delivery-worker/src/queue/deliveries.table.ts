import { leasedItem, type LeasedItem, type LeasedTable } from '@postmesh/work';
import { RELAY_GROUP, SANDBOX_GROUP, UNKNOWN_PREFIX } from '../mx/group-key.rules.js';
import { IS_SUPPRESSED } from '../suppressions/suppression-copy.js';

/** Facts of a send request about each of its deliveries. One text in the row, so that inserting it costs one column. */
export interface RequestFacts {
  readonly domainId: string;
  readonly domain: string;
  readonly sender: string;
  /** of the sender; of campaigns only, as the next one, and missing when there is none */
  readonly senderName?: string;
  readonly campaignId?: string;
  /** in this recipient's copy */
  readonly subject: string;
  readonly messageIdHeader: string;
  /** whether pixel and links are added; missing: neither */
  readonly tracking?: { readonly open: boolean; readonly click: boolean };
  readonly contentId: string;
  /** of the content, bytes */
  readonly size: number;
  readonly returnPathHost: string;
  /** a report, which must not cause another report; missing in all other mail */
  readonly nullSender?: true;
  readonly sandbox: string | null;
  /** number of recipients of the send request with a delivery */
  readonly recipients: number;
  /** missing in rows of a release that did not write it */
  readonly acceptedAt?: string;
  /** missing when there are none */
  readonly tags?: string[];
  /** missing when it was to go out at once */
  readonly scheduled?: true;
  /** the preceding step (W3C traceparent); missing when it is not traced */
  readonly trace?: string;
}

/** A delivery that this worker has claimed. */
export interface ClaimedDelivery extends LeasedItem, RequestFacts {
  readonly sendRequestId: string;
  readonly recipient: string;
  /** the recipient's domain */
  readonly destination: string;
  readonly expires: Date | null;
  /** id of the source address of earlier attempts; null: there were none, or it is the only one */
  readonly source: string | null;
  /** the result of an attempt is unknown: no other way is taken */
  readonly pinned: boolean;
  /** as known to this service; null: unknown */
  readonly accountState: string | null;
  /** state at the claim; never of a sandbox send */
  readonly suppressed: boolean;
}

export const DELIVERIES: LeasedTable<ClaimedDelivery> = {
  name: 'deliveries',
  columns: {
    destination: 'text',
    send_request_id: 'uuid',
    recipient: 'text',
    expires: 'timestamptz',
    suspended_until: 'timestamptz',
    source: 'text',
    pinned: 'boolean',
    facts: 'text',
    domain: 'text',
  },
  releaseColumns: ['suspended_until', 'source', 'pinned'],
  abandonedSets: 'pinned = true',
  // the domain's group as learned since; rows of the release before have no group yet
  groupOf: `case when q.group_key in ('${RELAY_GROUP}', '${SANDBOX_GROUP}') then q.group_key else coalesce(
    (select m.group_key from mx_domains m where m.domain = lower(q.destination) and m.expires_at > now()),
    q.group_key, '${UNKNOWN_PREFIX}' || q.destination) end`,
  // no key that begins with UNKNOWN_PREFIX
  claimsAfter: 'd;',
  weights: 'account_states',
  lookups: `(select s.state from account_states s where s.account_id = claimed.account_id) as account_state,
    ${IS_SUPPRESSED} as suppressed`,
  // the message may have arrived, so the attempt counts (architecture §3.9)
  countsAbandoned: true,
  toItem: (row) => ({
    ...leasedItem(row),
    ...readFacts(row['facts'] as string),
    sendRequestId: row['send_request_id'] as string,
    recipient: row['recipient'] as string,
    destination: row['destination'] as string,
    expires: row['expires'] as Date | null,
    source: row['source'] as string | null,
    pinned: row['pinned'] === true,
    accountState: row['account_state'] as string | null,
    suppressed: row['suppressed'] === true,
  }),
};

export const writeFacts = (facts: RequestFacts): string => JSON.stringify(facts);

const readFacts = (text: string): RequestFacts => JSON.parse(text) as RequestFacts;
