import type { CampaignContent, CampaignSendRecipient } from '@postmesh/messages-contract';
import type { DomainFacts } from '@postmesh/domains-contract';
import type { HeaderField } from '@postmesh/mail-format';
import { oneLine, type RequestContent, type Values } from '@postmesh/message-content';
import type { LinkTokens } from '@postmesh/public-links';

/** A batch of a campaign, or a test of one, whose sender may send. */
export interface CampaignBatch {
  readonly accountId: string;
  /** of a sub-account only */
  readonly parentAccountId: string | null;
  readonly campaignId: string;
  readonly test: boolean;
  readonly domain: DomainFacts;
  /** where public links begin */
  readonly baseUrl: string;
}

/** Less than other sends may take (spec 3-marketing §5.2); a batch that is too slow is told so within seconds. */
export const CAMPAIGN_LIMITS = { loopSteps: 10_000, outputBytes: 2 * 1024 * 1024 };

const UNSUBSCRIBE = 'unsubscribe_url';

// What mail programs show their button by (RFC 8058). A test has none (spec 3-marketing §3.2).
const UNSUBSCRIBE_HEADERS: readonly HeaderField[] = [
  { name: 'List-Unsubscribe', value: `<{{ ${UNSUBSCRIBE} }}>` },
  { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
];

/** What all messages of a batch are made of; names and values of their recipients come to it. */
export function campaignContent(
  { from, reply_to: replyTo, subject, preheader, html, text }: CampaignContent,
  { test, parentAccountId }: Pick<CampaignBatch, 'test' | 'parentAccountId'>,
  date: Date,
): RequestContent {
  const name = oneLine(from.name);
  return {
    from: name === '' ? { email: from.email } : { email: from.email, name },
    ...(replyTo ? { replyTo: { email: replyTo } } : {}),
    subject: test ? `[Test] ${subject}` : subject,
    ...(text ? { text } : {}),
    ...(html ? { html, ...(preheader ? { preheader } : {}) } : {}),
    ...(test ? {} : { headers: UNSUBSCRIBE_HEADERS }),
    rendering: { escapeHtml: true, preheaderIsHtml: true, ...(parentAccountId ? { parentAccountId } : {}) },
    date,
  };
}

/**
 * What the variables of one recipient stand for. Of a contact's attributes only those that are named somewhere are kept
 * with the message.
 */
export function campaignValues(
  recipient: CampaignSendRecipient,
  isNamed: (name: string) => boolean,
  links: Values,
): Values {
  const given = Object.entries(recipient.values).filter(([name, value]) => !isEmpty(value) && isNamed(name));
  return { ...Object.fromEntries(given), email: recipient.email, ...links };
}

/** Then it is undefined, so that `default` has a say (spec 3-marketing §5.4 rule 1). */
const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';

/** Which names stand in any of the texts; a name that only looks as if it were used counts as well. */
export function namesIn({
  subject,
  preheader,
  html,
  text,
}: Pick<CampaignContent, 'subject' | 'preheader' | 'html' | 'text'>): (name: string) => boolean {
  const sources = [subject, preheader ?? '', text ?? '', html ?? ''];
  const known = new Map<string, boolean>();
  return (name) => {
    const isNamed = known.get(name) ?? sources.some((source) => source.includes(name));
    known.set(name, isNamed);
    return isNamed;
  };
}

/** Of one recipient (spec 3-marketing §5.4, §7.4; of a test §3.2). They win over attributes of their names. */
export function campaignLinks(
  { accountId, campaignId, test, baseUrl }: Omit<CampaignBatch, 'domain'>,
  { message_id: messageId, contact_id: contactId }: CampaignSendRecipient,
  tokens: LinkTokens,
): Values {
  const unsubscribe =
    test || contactId === null
      ? tokens.sign({ kind: 'test-unsubscribe', messageId })
      : tokens.sign({ kind: 'campaign-unsubscribe', messageId, accountId, campaignId, contactId });
  return {
    [UNSUBSCRIBE]: `${baseUrl}/u/${unsubscribe}`,
    view_browser_url: `${baseUrl}/v/${tokens.sign({ kind: 'view', messageId })}`,
  };
}
