import { createSecretKey, type KeyObject } from 'node:crypto';
import {
  composeBody,
  composeMessage,
  editHtml,
  feedbackAddress,
  fieldBytes,
  fieldProblem,
  fieldValue,
  hasHtml,
  needsSmtpUtf8,
  splitHeaders,
  splitMessage,
  withAsciiHeaders,
  writeField,
  type ComposedBody,
  type HeaderField,
  type Message,
  type MessageContent,
} from '@postmesh/mail-format';
import {
  LinkTokens,
  MAX_TRACKED_LINKS,
  publicBaseUrl,
  trackHtml,
  type OwnAddress,
  type PublicLink,
} from '@postmesh/public-links';
import { reportAddressKeys } from '@postmesh/secrets';
import { messageContentOf, type MessageRecipient, type PartsRenderer } from './recipient-content.js';
import { isRaw, rawBytes, type RawContent, type StoredContent } from './request-content.js';
import type { RequestContent } from './request-content.js';

/** The facts that a recipient's message is composed from, in addition to the content of its request. */
export interface MessageFacts extends MessageRecipient {
  readonly sendRequestId: string;
  readonly domainId: string;
  /** the host that receives bounces and complaints; null or empty: the service's own host */
  readonly returnPathHost: string | null;
  /** the host that counts opens and clicks; null: the service's own host */
  readonly trackingHost: string | null;
  readonly tracking?: Tracking | undefined;
  /**
   * the receiving server does not offer SMTPUTF8: the UTF-8 header of a raw message is converted to ASCII where
   * possible
   */
  readonly asciiHeader?: boolean | undefined;
}

interface Tracking {
  readonly open: boolean;
  readonly click: boolean;
}

interface MessageSettings extends OwnAddress {
  /** the first signs links and feedback addresses */
  readonly secretKeys: readonly string[];
  readonly serviceZone: string;
}

/**
 * Composes the message of one recipient from the content of its request. The result is the same each time, for
 * sending (a retry sends the same message) and for reading. Steps: render, preheader, tracking, headers of the
 * service, MIME. A raw message needs only tracking in its HTML parts and the headers of the service.
 */
export class RecipientMessages {
  private readonly tokens: LinkTokens;
  /** an object: a string would be parsed again for each message */
  private readonly feedbackKey: KeyObject;

  constructor(
    private readonly renderer: PartsRenderer,
    private readonly settings: MessageSettings,
  ) {
    this.tokens = new LinkTokens(settings.secretKeys);
    const [key = ''] = reportAddressKeys(settings.secretKeys);
    this.feedbackKey = createSecretKey(Buffer.from(key));
  }

  /**
   * The message without its signature.
   * @param body of another recipient's message, where `hasCommonBody`
   * @throws RenderFailed; Transient when it cannot be rendered now; UnsafeMessage as `composeMessage`
   */
  async compose(content: StoredContent, facts: MessageFacts, body?: ComposedBody): Promise<Message> {
    if (isRaw(content)) return this.complete(content, facts);
    const made = await this.contentOf(content, facts);
    const composed = body ?? (await composeBody(made, boundarySeed(content, facts)));
    return composeMessage(made, composed, this.serviceHeaders(content, facts));
  }

  async composeBody(content: RequestContent, facts: MessageFacts): Promise<ComposedBody> {
    return composeBody(await this.contentOf(content, facts), boundarySeed(content, facts));
  }

  private complete(content: RawContent, facts: MessageFacts): Message {
    const split = splitMessage(rawBytes(content));
    const given = (facts.asciiHeader && split.smtpUtf8 && withAsciiHeaders(split)) || split;
    const message = this.trackedRaw(given, facts);
    const added = fieldBytes(
      this.serviceHeaders(content, facts).map((field) => ({ name: field.name, text: writeField(field) })),
    );
    return {
      ...message,
      headers: Buffer.concat([message.headers, added]),
      size: message.size + added.length,
    };
  }

  private trackedRaw(message: Message, { id, tracking, trackingHost }: MessageFacts): Message {
    if (!isOn(tracking)) return message;
    const { tokens } = this;
    const baseUrl = publicBaseUrl(trackingHost, this.settings);
    const isOwn = ownLinks(id, headersOf(message), tokens);
    return editHtml(message, (html, { nth, count }) =>
      trackHtml(html, {
        messageId: id,
        // one pixel per message, whatever the number of its HTML parts
        open: tracking.open && nth === count - 1,
        click: tracking.click,
        firstLink: nth * LINKS_PER_PART,
        ...(count > 1 ? { maxLinks: Math.min(LINKS_PER_PART, Math.floor(MAX_TRACKED_LINKS / count)) } : {}),
        baseUrl,
        tokens,
        isOwn,
      }),
    );
  }

  private async contentOf(content: RequestContent, facts: MessageFacts): Promise<MessageContent> {
    return this.tracked(writable(await messageContentOf(content, facts, this.renderer)), facts);
  }

  private tracked(content: MessageContent, { id, tracking, trackingHost }: MessageFacts): MessageContent {
    if (!tracking || !isTracked(content, tracking)) return content;
    const { tokens } = this;
    const baseUrl = publicBaseUrl(trackingHost, this.settings);
    const isOwn = ownLinks(id, content.headers ?? [], tokens);
    return {
      ...content,
      html: trackHtml(content.html, { messageId: id, ...tracking, baseUrl, tokens, isOwn }),
    };
  }

  /**
   * Mailbox providers use Feedback-ID to separate complaint rates (by campaign, customer, mail type, sender).
   * CFBL-Address is where they report complaints (RFC 9477).
   */
  private serviceHeaders(content: StoredContent, facts: MessageFacts): HeaderField[] {
    const host = facts.returnPathHost || `rp.${this.settings.serviceZone}`;
    // a shared message carries the id of its send request; a complaint about it names its recipient by the envelope
    const record = isSharedMessage(content, facts.tracking) ? facts.sendRequestId : facts.id;
    const feedback = feedbackAddress(record, host, this.feedbackKey);
    return [
      {
        name: 'Feedback-ID',
        value: facts.campaignId
          ? `${facts.campaignId}:${facts.accountId}:marketing:postmesh`
          : `${facts.domainId.slice(0, 8)}:${facts.accountId}:transactional:postmesh`,
      },
      { name: 'CFBL-Address', value: `${feedback}; report=arf` },
    ];
  }
}

// The number of a link within a message has 16 bits; messages with more than one HTML part are rare.
const LINKS_PER_PART = 1_000;

const isOn = (tracking: Tracking | undefined): tracking is Tracking =>
  tracking !== undefined && (tracking.open || tracking.click);

/**
 * Without the fields that cannot be written. Acceptance rejects them, but earlier releases accepted an address
 * beyond ASCII or an invalid Date: such a message is sent without the field.
 */
function writable(content: MessageContent): MessageContent {
  const { headers = [], replyTo } = content;
  const isReplyToOdd = replyTo !== undefined && needsSmtpUtf8(replyTo.email);
  if (!isReplyToOdd && headers.every(isWritable)) return content;
  return {
    ...content,
    headers: headers.filter(isWritable),
    replyTo: isReplyToOdd ? undefined : replyTo,
  };
}

const isWritable = (field: HeaderField): boolean => fieldProblem(field) === undefined;

/** Pixel and links belong to one recipient (spec 2-messages §1.3 rule 5), and are in HTML parts only. */
const isTracked = <T extends Pick<RequestContent, 'html'>>(
  content: T,
  tracking: Tracking | undefined,
): content is T & { html: string } => Boolean(content.html) && isOn(tracking);

/** All recipients get the same bytes: a conversation or a raw message, without tracking. */
export function isSharedMessage(content: StoredContent, tracking: Tracking | undefined): boolean {
  if (isRaw(content)) return !isOn(tracking) || !hasHtml(splitMessage(rawBytes(content)));
  return content.messageId !== undefined && hasCommonBody(content, tracking);
}

/** Nothing is rendered or inserted per recipient. A raw message has no separate body. */
export function hasCommonBody(
  content: StoredContent,
  tracking: Tracking | undefined,
): content is RequestContent {
  return !isRaw(content) && content.rendering === undefined && !isTracked(content, tracking);
}

/** The author of a text cannot guess it, and it is the same at every retry. */
function boundarySeed(content: RequestContent, facts: MessageFacts): string {
  if (content.messageId !== undefined) return content.messageId;
  return hasCommonBody(content, facts.tracking) ? facts.sendRequestId : facts.id;
}

const headersOf = ({ headers }: Message): HeaderField[] =>
  splitHeaders(headers).map((field) => ({ name: field.name, value: fieldValue(field) }));

/**
 * Our own links: those in List-Unsubscribe, and those of campaign messages (spec 3-marketing §7.6 rule 1). A link
 * that the client made is tracked like any other.
 */
function ownLinks(
  messageId: string,
  headers: readonly HeaderField[],
  tokens: LinkTokens,
): (url: string) => boolean {
  const unsubscribing = new Set(
    headers
      .filter(({ name }) => name.toLowerCase() === 'list-unsubscribe')
      .flatMap(({ value }) => [...value.matchAll(/<([^<>\s]+)>/g)].map(([, link]) => link ?? ''))
      .filter((link) => tokens.read(link.slice(link.lastIndexOf('/') + 1))?.kind === 'unsubscribe'),
  );
  return (url) => unsubscribing.has(url) || isOfCampaign(url, messageId, tokens);
}

const CAMPAIGN_LINK = /\/[uv]\/([\w-]+)(?:[?#].*)?$/;
const CAMPAIGN_LINKS: readonly PublicLink['kind'][] = ['campaign-unsubscribe', 'test-unsubscribe', 'view'];

/** A campaign link of this message; it may have a query of its own. */
function isOfCampaign(url: string, messageId: string, tokens: LinkTokens): boolean {
  const [, token] = CAMPAIGN_LINK.exec(url) ?? [];
  const link = token === undefined ? undefined : tokens.read(token);
  if (link === undefined || !('messageId' in link)) return false;
  return link.messageId === messageId && CAMPAIGN_LINKS.includes(link.kind);
}
