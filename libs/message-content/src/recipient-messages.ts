import { createSecretKey, type KeyObject } from 'node:crypto';
import {
  composeBody,
  composeMessage,
  feedbackAddress,
  type ComposedBody,
  type HeaderField,
  type Message,
  type MessageContent,
} from '@postmesh/mail-format';
import { LinkTokens, publicBaseUrl, trackHtml, type OwnAddress } from '@postmesh/public-links';
import { messageContentOf, type MessageRecipient, type PartsRenderer } from './recipient-content.js';
import type { RequestContent } from './request-content.js';

/** What the message of one recipient depends on besides the content of its request. */
export interface MessageFacts extends MessageRecipient {
  readonly sendRequestId: string;
  readonly domainId: string;
  /** where bounces and complaints go; null or empty: the service's own host */
  readonly returnPathHost: string | null;
  /** where opens and clicks are counted; null: the service's own host */
  readonly trackingHost: string | null;
  readonly tracking?: Tracking | undefined;
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
 * Makes the message of one recipient from the content of its request, the same each time: for sending (a retry is the
 * same message) and for reading. Steps: render, preheader, tracking, headers of the service, MIME.
 */
export class RecipientMessages {
  private readonly tokens: LinkTokens;
  /** an object: a string would be read anew for each message */
  private readonly feedbackKey: KeyObject;

  constructor(
    private readonly renderer: PartsRenderer,
    private readonly settings: MessageSettings,
  ) {
    this.tokens = new LinkTokens(settings.secretKeys);
    this.feedbackKey = createSecretKey(settings.secretKeys[0] ?? '', 'utf8');
  }

  /**
   * The message without its signature.
   * @param body of another recipient's message, where `hasCommonBody`
   * @throws RenderFailed; Transient when it cannot be rendered now; UnsafeMessage as `composeMessage`
   */
  async compose(content: RequestContent, facts: MessageFacts, body?: ComposedBody): Promise<Message> {
    const made = await this.contentOf(content, facts);
    const headers = [...(made.headers ?? []), ...this.serviceHeaders(content, facts)];
    return composeMessage(
      { ...made, headers },
      body ?? (await composeBody(made, boundarySeed(content, facts))),
    );
  }

  async composeBody(content: RequestContent, facts: MessageFacts): Promise<ComposedBody> {
    return composeBody(await this.contentOf(content, facts), boundarySeed(content, facts));
  }

  private async contentOf(content: RequestContent, facts: MessageFacts): Promise<MessageContent> {
    return this.tracked(await messageContentOf(content, facts, this.renderer), facts);
  }

  private tracked(content: MessageContent, { id, tracking, trackingHost }: MessageFacts): MessageContent {
    if (!tracking || !isTracked(content, tracking)) return content;
    const { tokens } = this;
    const baseUrl = publicBaseUrl(trackingHost, this.settings);
    const ownLinks = unsubscribeLinks(content.headers ?? [], tokens);
    return {
      ...content,
      html: trackHtml(content.html, { messageId: id, ...tracking, baseUrl, tokens, ownLinks }),
    };
  }

  /**
   * Feedback-ID lets mailbox providers tell the sender's complaint rates apart (campaign, customer, mail type, sender),
   * CFBL-Address says where they report complaints (RFC 9477).
   */
  private serviceHeaders(content: RequestContent, facts: MessageFacts): HeaderField[] {
    const host = facts.returnPathHost || `rp.${this.settings.serviceZone}`;
    // of a message that all recipients share; a complaint about it names its recipient by the envelope
    const record = isSharedMessage(content, facts.tracking) ? facts.sendRequestId : facts.id;
    const feedback = feedbackAddress(record, host, this.feedbackKey);
    return [
      {
        name: 'Feedback-ID',
        value: `${facts.domainId.slice(0, 8)}:${facts.accountId}:transactional:postmesh`,
      },
      { name: 'CFBL-Address', value: `${feedback}; report=arf` },
    ];
  }
}

/** Pixel and links are of one recipient (spec 2-messages §1.3 rule 5), and stand in HTML parts only. */
function isTracked<T extends Pick<RequestContent, 'html'>>(
  content: T,
  tracking: Tracking | undefined,
): content is T & { html: string } {
  return Boolean(content.html) && tracking !== undefined && (tracking.open || tracking.click);
}

/** All recipients get the same bytes: a conversation without tracking. */
export function isSharedMessage(content: RequestContent, tracking: Tracking | undefined): boolean {
  return content.messageId !== undefined && hasCommonBody(content, tracking);
}

/** Nothing is rendered for anybody, and nothing put in for each. */
export function hasCommonBody(content: RequestContent, tracking: Tracking | undefined): boolean {
  return content.rendering === undefined && !isTracked(content, tracking);
}

/** Unguessable for whoever writes a text, and the same at every retry. */
function boundarySeed(content: RequestContent, facts: MessageFacts): string {
  if (content.messageId !== undefined) return content.messageId;
  return hasCommonBody(content, facts.tracking) ? facts.sendRequestId : facts.id;
}

/** Our own links in List-Unsubscribe; one that the client made is a link like any other. */
function unsubscribeLinks(headers: readonly HeaderField[], tokens: LinkTokens): string[] {
  return headers
    .filter(({ name }) => name.toLowerCase() === 'list-unsubscribe')
    .flatMap(({ value }) => [...value.matchAll(/<([^<>\s]+)>/g)].map(([, link]) => link ?? ''))
    .filter((link) => tokens.read(link.slice(link.lastIndexOf('/') + 1))?.kind === 'unsubscribe');
}
