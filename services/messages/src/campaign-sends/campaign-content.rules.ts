import type {
  CampaignContent,
  CampaignSendRecipient,
  CampaignSendRequest,
} from '@postmesh/messages-contract';
import type { DomainFacts } from '@postmesh/domains-contract';
import type { HeaderField } from '@postmesh/mail-format';
import { oneLine, type RequestContent, type Values } from '@postmesh/message-content';
import type { LinkTokens } from '@postmesh/public-links';

/** A batch of a campaign, or a test of one, with a valid sender. */
export interface CampaignBatch {
  readonly accountId: string;
  /** of a sub-account only */
  readonly parentAccountId: string | null;
  readonly campaignId: string;
  readonly test: boolean;
  readonly purpose?: CampaignSendRequest['purpose'];
  readonly domain: DomainFacts;
  /** the start of public links */
  readonly baseUrl: string;
}

/** Below the limits of other sends (spec 3-marketing §5.2); a batch that is too slow fails within seconds. */
export const CAMPAIGN_LIMITS = { loopSteps: 10_000, outputBytes: 2 * 1024 * 1024 };

const UNSUBSCRIBE = 'unsubscribe_url';

// The fields for the unsubscribe button of mail programs (RFC 8058). A test has none (spec 3-marketing §3.2).
const UNSUBSCRIBE_HEADERS: readonly HeaderField[] = [
  { name: 'List-Unsubscribe', value: `<{{ ${UNSUBSCRIBE} }}>` },
  { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
];

/** The content of all messages of a batch, without names and values of their recipients. */
export function campaignContent(
  { from, reply_to: replyTo, subject, preheader, html, text }: CampaignContent,
  { test, purpose, parentAccountId }: Pick<CampaignBatch, 'test' | 'purpose' | 'parentAccountId'>,
  date: Date,
): RequestContent {
  const name = oneLine(from.name);
  return {
    from: name === '' ? { email: from.email } : { email: from.email, name },
    ...(replyTo ? { replyTo: { email: replyTo } } : {}),
    subject: test && !purpose ? `[Test] ${subject}` : subject,
    ...(text ? { text } : {}),
    ...(html ? { html, ...(preheader ? { preheader } : {}) } : {}),
    ...(test && purpose !== 'welcome' ? {} : { headers: UNSUBSCRIBE_HEADERS }),
    rendering: { escapeHtml: true, preheaderIsHtml: true, ...(parentAccountId ? { parentAccountId } : {}) },
    date,
  };
}

/**
 * The values of one recipient's variables. Only attributes of the contact that are used in a text are stored
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

/** An empty value becomes undefined, so that `default` applies (spec 3-marketing §5.4 rule 1). */
const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';

/** The names in any of the texts, including text that only looks like a variable. */
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

/** Links of one recipient (spec 3-marketing §5.4, §7.4; of a test §3.2). They override attributes of the same names. */
export function campaignLinks(
  { accountId, campaignId, test, purpose, baseUrl }: Omit<CampaignBatch, 'domain'>,
  { message_id: messageId, contact_id: contactId, values }: CampaignSendRecipient,
  tokens: LinkTokens,
): Values {
  if (purpose) return { [UNSUBSCRIBE]: values[UNSUBSCRIBE] ?? '' };
  const unsubscribe =
    test || contactId === null
      ? tokens.sign({ kind: 'test-unsubscribe', messageId })
      : tokens.sign({ kind: 'campaign-unsubscribe', messageId, accountId, campaignId, contactId });
  return {
    [UNSUBSCRIBE]: `${baseUrl}/u/${unsubscribe}`,
    view_browser_url: `${baseUrl}/v/${tokens.sign({ kind: 'view', messageId })}`,
  };
}
