import type { EventEnvelope } from '@postmesh/contracts';
import type { MessageAccepted } from '@postmesh/messages-contract';
import { BULK, SINGLE, type NewRow } from '@postmesh/work';
import { suspensionReason } from '../account-states/account-states.rules.js';
import { SANDBOX_GROUP, unknownKeyOf } from '../mx/group-key.rules.js';
import { writeFacts, type RequestFacts } from '../queue/deliveries.table.js';
import { NOT_LOOKED_UP } from '../suppressions/suppression-copy.js';

type Accepted = ReturnType<typeof MessageAccepted.make>['data'];
type AcceptedEvent = EventEnvelope<Accepted>;
type Recipient = Accepted['recipients'][number];

// Most recipients of one send request with single priority: a larger one is bulk.
const MAX_SINGLE_RECIPIENTS = 20;

/**
 * One delivery per recipient, due at once or at the scheduled first attempt. Those of accounts that may not send are
 * suspended, those of deleted accounts left out, like recipients that were suppressed at acceptance.
 * @param accountState as known to this service
 * @param groups of their destinations, as far as they are known
 * @param now by the database's clock: another clock dated the acceptance, and no delivery waits until clocks agree
 */
export function toDeliveries(
  event: AcceptedEvent,
  accountState: string | undefined,
  windowSeconds: number,
  groups: ReadonlyMap<string, string> = new Map(),
  now = new Date(),
): NewRow[] {
  if (accountState === 'deleted') return [];
  const { data } = event;
  const recipients = data.recipients.filter(({ suppressed }) => !suppressed);
  const reason = suspensionReason(accountState);
  const dueAt =
    data.first_attempt === null ? earlier(new Date(data.accepted_at), now) : new Date(data.first_attempt);
  const endsAt = endOf(dueAt, data.expires, windowSeconds);
  const shared = {
    send_request_id: data.send_request_id,
    expires: data.expires === null ? null : new Date(data.expires),
    suspended_until: reason === undefined ? null : endsAt,
    domain: data.sandbox === null ? data.domain : NOT_LOOKED_UP,
  };
  const facts = factsOf(event, recipients.length);
  const sharedFacts = writeFacts(facts);
  const groupOf = (destination: string) =>
    data.sandbox === null ? (groups.get(destination) ?? unknownKeyOf(destination)) : SANDBOX_GROUP;
  return recipients.map((recipient) => ({
    id: recipient.id,
    accountId: event.account_id as string,
    key: groupOf(destinationOf(recipient)),
    lane: isBulk(data) ? BULK : SINGLE,
    dueAt,
    endsAt,
    ...(reason === undefined ? {} : { state: 'suspended' }),
    reason: reason ?? 'waits for its first attempt',
    columns: {
      ...shared,
      destination: destinationOf(recipient),
      facts: isAsRequest(recipient) ? sharedFacts : writeFacts(ownFacts(facts, recipient)),
      // the form of suppressions (spec 1-platform §1.2 rule 2)
      recipient: recipient.email.toLowerCase(),
    },
  }));
}

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);

/** Campaigns, large requests and reports are bulk: reports come in bursts, as their bounces do. */
const isBulk = ({ campaign, null_sender: isReport, recipients }: Accepted): boolean =>
  campaign === true || isReport === true || recipients.length > MAX_SINGLE_RECIPIENTS;

/** The domains whose groups the deliveries need. A sandbox send contacts no host. */
export const destinationsOf = ({ data }: AcceptedEvent): string[] =>
  data.sandbox === null ? data.recipients.map(destinationOf) : [];

const destinationOf = ({ email }: Recipient): string => email.slice(email.lastIndexOf('@') + 1);

const factsOf = ({ data, trace }: AcceptedEvent, recipients: number): RequestFacts => ({
  domainId: data.domain_id,
  domain: data.domain,
  sender: data.sender,
  ...(data.sender_name ? { senderName: data.sender_name } : {}),
  ...(data.campaign_id ? { campaignId: data.campaign_id } : {}),
  subject: data.subject,
  messageIdHeader: data.message_id_header,
  ...(data.tracking ? { tracking: data.tracking } : {}),
  contentId: data.content_id,
  size: data.size,
  returnPathHost: data.return_path_host,
  ...(data.null_sender ? { nullSender: data.null_sender } : {}),
  sandbox: data.sandbox,
  recipients,
  acceptedAt: data.accepted_at,
  ...(data.tags ? { tags: data.tags } : {}),
  ...(data.first_attempt === null ? {} : { scheduled: true }),
  ...(trace === null ? {} : { trace }),
});

const isAsRequest = ({ subject, message_id_header: messageIdHeader }: Recipient): boolean =>
  subject === undefined && messageIdHeader === undefined;

const ownFacts = (facts: RequestFacts, recipient: Recipient): RequestFacts => ({
  ...facts,
  subject: recipient.subject ?? facts.subject,
  messageIdHeader: recipient.message_id_header ?? facts.messageIdHeader,
});

/** The window of an untried delivery begins when it is due: its account is suspended, or its MX group is. */
function endOf(dueAt: Date, expires: string | null, windowSeconds: number): Date {
  const end = dueAt.getTime() + windowSeconds * 1000;
  return new Date(expires === null ? end : Math.min(end, Date.parse(expires)));
}
