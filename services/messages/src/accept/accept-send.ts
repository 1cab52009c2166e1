import { Inject, Injectable } from '@nestjs/common';
import { ApiError, newId, type MessageId, type Principal, type SandboxResult } from '@postmesh/contracts';
import type { DomainFacts } from '@postmesh/domains-contract';
import {
  headerValueProblem,
  isMessageWithin,
  isWithinAtWorst,
  RecipientShields,
  UnsafeMessage,
  type Mailbox,
  type Shield,
} from '@postmesh/mail-format';
import type { RecipientContent, RequestContent, Values } from '@postmesh/message-content';
import { SETTINGS, type Remember } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { holdsTemplate } from '@postmesh/templates';
import { mailboxOf, type Recipient } from './recipients.rules.js';
import { RenderMessages, type RenderedMessage } from './render-messages.js';
import { TOO_LARGE, type AcceptedSend } from './send-result.js';
import { SendRequestWriter } from './send-request-store.js';
import { messageIdOf, type AcceptedRequest, type SendKind } from './send-request.rules.js';
import type { ScheduleBody } from './send.schema.js';
import type { SendOptions } from './shared-fields.rules.js';
import { requireSharedValues, requireSubstitutions } from './substitutions.rules.js';

/** A send that passed the checks of its kind. */
export interface CheckedSend {
  kind: SendKind;
  templateId: string | null;
  principal: Principal;
  trace?: string | null;
  /** aborted when the client has disconnected: the send is abandoned if it is not accepted yet */
  signal?: AbortSignal | undefined;
  domain: DomainFacts;
  recipients: readonly Recipient[];
  /** in a conversation with the fields To and Cc */
  content: Omit<RequestContent, 'messageId' | 'date' | 'recipients'>;
  /**
   * values of one recipient; undefined: nothing is rendered for this one. Left out where nothing is rendered at all.
   */
  valuesOf?: (recipient: Recipient, id: MessageId) => Values | undefined;
  options: SendOptions;
  /** null: a real send */
  sandbox: SandboxResult | null;
  /** as in the request */
  schedule: ScheduleBody | null | undefined;
  acceptedAt: Date;
}

/** A recipient with the id and the values of its message. */
interface Addressed {
  id: MessageId;
  recipient: Recipient;
  /** its own values, and those merged with the values of the request; undefined: nothing is rendered */
  values: { own: Values; all: Values } | undefined;
  /** the reason why nothing is sent */
  error: string | undefined;
  rendered?: RenderedMessage;
}

/**
 * The common part of the three sends, after the checks of each kind: ids, values, rendering and sizes per recipient,
 * then one commit with content, rows, usage, the stored response and the event. The messages are durable when the
 * result is returned.
 */
@Injectable()
export class AcceptSend {
  constructor(
    private readonly shields: RecipientShields,
    private readonly rendering: RenderMessages,
    private readonly writer: SendRequestWriter,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * @param remember only its `ended` is called, because many requests share one transaction
   * @throws ApiError 400 for substitutions or size; 403 when the credit is used up
   */
  async execute(send: CheckedSend, remember: Remember<AcceptedSend>): Promise<AcceptedSend> {
    requireSharedValues(send.content.rendering?.values, send.recipients.length);
    const shield = await this.shields.of(send.principal.account);
    const addressed = send.recipients.map((recipient) => address(send, recipient, shield));
    checkSubstitutions(send, addressed);
    this.requireSize(send);
    const judged = await this.render(send, addressed);
    const request = toRequest(send, judged);
    const accepted = toAccepted(send, judged, request);
    // every recipient may have an error: then there is nothing to send, and the response has the reasons
    const { account } = send.principal;
    if (request) await this.writer.accept(request, account, () => remember.ended?.(accepted));
    return accepted;
  }

  /**
   * The unrendered message, to the recipient with the longest name: too large for every recipient if it is too large
   * here. Nearly every send is so far below the limit that the sum of lengths decides; its fields have been checked
   * already.
   */
  private requireSize({ content, recipients, domain, acceptedAt: date }: CheckedSend): void {
    const to = content.to ?? toLongest(recipients);
    // rendered parts are measured after rendering
    const headers = content.rendering
      ? content.headers?.filter(({ value }) => !holdsTemplate(value))
      : content.headers;
    const given = { ...content, headers, to };
    if (isWithinAtWorst(given, this.settings.messageLimitBytes)) return;
    const message = { ...given, messageId: `<${newId()}@${domain.domain}>`, date };
    try {
      if (isMessageWithin(message, this.settings.messageLimitBytes)) return;
    } catch (error) {
      if (error instanceof UnsafeMessage) throw new ApiError(400, error.message);
      throw error;
    }
    throw new ApiError(400, TOO_LARGE);
  }

  private async render(send: CheckedSend, addressed: readonly Addressed[]): Promise<readonly Addressed[]> {
    const wanted = addressed.filter((one) => one.error === undefined && one.values !== undefined);
    if (wanted.length === 0) return addressed;
    const rendered = await this.rendering.execute(
      contentOf(send, wanted),
      wanted.map(({ id, recipient: { address }, values }) => ({
        id,
        email: address.address,
        domain: send.domain.domain,
        accountId: send.principal.account_id,
        values: values?.all ?? {},
      })),
      { signal: send.signal },
    );
    const results = new Map(wanted.map((one, nth) => [one, rendered[nth]]));
    return addressed.map((one) => {
      const result = results.get(one);
      if (!result) return one;
      return result.error === undefined ? { ...one, rendered: result } : { ...one, error: result.error };
    });
  }
}

/** The recipient with the longest name. */
function toLongest(recipients: readonly Recipient[]): Mailbox[] {
  let longest: Recipient | undefined;
  for (const recipient of recipients) {
    if (longest === undefined || recipient.name.length > longest.name.length) longest = recipient;
  }
  return longest ? [mailboxOf(longest)] : [];
}

/** An error excludes one recipient; the others get the message (spec 2-messages §1.5). */
function address(send: CheckedSend, recipient: Recipient, shield: Shield): Addressed {
  const id = newId(send.acceptedAt.getTime()) as MessageId;
  const own = send.valuesOf?.(recipient, id);
  const values = own && { own, all: { ...send.content.rendering?.values, ...own } };
  const error = shield(recipient.address.domain) ?? (values ? undefined : unrenderedProblem(send));
  return { id, recipient, error, values };
}

/** A send with values for other recipients only: for a recipient without values its sources are sent as written. */
const unrenderedProblem = ({ content: { rendering, headers = [] } }: CheckedSend): string | undefined =>
  rendering && headerValueProblem(headers.filter(({ value }) => holdsTemplate(value)));

function checkSubstitutions({ kind, content, valuesOf }: CheckedSend, addressed: readonly Addressed[]): void {
  if (!valuesOf) return;
  const substituted = addressed.flatMap(({ recipient, values }) =>
    values ? [{ email: recipient.address.address, values: values.all }] : [],
  );
  if (substituted.length === 0) return;
  requireSubstitutions(content, substituted, { bodiesToo: kind !== 'template' });
}

/** The content of a request with a message per recipient: sources, and the values of those recipients. */
function contentOf(send: CheckedSend, addressed: readonly Addressed[]): RequestContent {
  const entries = addressed.map(({ id, recipient: { name }, values }): [string, RecipientContent] => [
    id,
    { ...(name === '' ? {} : { name }), ...(values ? { values: values.own } : {}) },
  ]);
  const { parent_account_id: parentAccountId } = send.principal.account;
  const rendering = send.content.rendering && {
    ...send.content.rendering,
    ...(parentAccountId ? { parentAccountId } : {}),
  };
  return { ...send.content, rendering, date: send.acceptedAt, recipients: Object.fromEntries(entries) };
}

/** The stored content: for one recipient the rendered message, so that nothing is rendered later. */
function keptContent(send: CheckedSend, sent: readonly Addressed[], messageId: string): RequestContent {
  const [{ recipient, rendered, values }] = sent as [Addressed];
  const { content, acceptedAt: date } = send;
  if (content.to) return { ...content, messageId, date };
  if (sent.length > 1 || (values && !rendered?.message)) return contentOf(send, sent);
  if (rendered?.message) return rendered.message;
  return { ...content, rendering: undefined, to: [mailboxOf(recipient)], messageId, date };
}

/** @returns undefined when there is nothing to send */
function toRequest(send: CheckedSend, judged: readonly Addressed[]): AcceptedRequest | undefined {
  const sent = judged.filter(({ error }) => error === undefined);
  const [first] = sent;
  if (!first) return undefined;
  const { content, principal, domain } = send;
  const subjectOf = ({ rendered }: Addressed) => rendered?.subject ?? content.subject;
  const messageIdHeader = `<${first.id}@${domain.domain}>`;
  return {
    kind: send.kind,
    templateId: send.templateId,
    accountId: principal.account_id,
    domain,
    sender: content.from.email,
    messageIdHeader,
    subject: subjectOf(first),
    content: keptContent(send, sent, messageIdHeader),
    largestMessage: sent.reduce((most, { rendered }) => Math.max(most, rendered?.bytes ?? 0), 0),
    tags: send.options.tags,
    tracking: send.options.tracking,
    retention: send.options.retention,
    schedule: send.options.schedule,
    sandbox: send.sandbox,
    acceptedAt: send.acceptedAt,
    trace: send.trace,
    recipients: sent.map((one) => ({
      id: one.id,
      email: one.recipient.address.address,
      name: one.recipient.name,
      subject: subjectOf(one),
    })),
  };
}

function toAccepted(
  { kind, domain: { domain }, schedule }: CheckedSend,
  judged: readonly Addressed[],
  request: AcceptedRequest | undefined,
): AcceptedSend {
  const messageIdHeader = request?.messageIdHeader ?? '';
  return {
    recipients: judged.map(({ id, recipient: { address, name, given }, error }) => ({
      messageId: messageIdOf({ kind, domain, messageIdHeader }, id),
      email: address.address,
      name,
      given,
      error,
    })),
    schedule,
  };
}
