import type { FairItem } from '@postmesh/concurrency';
import { Failure } from '@postmesh/contracts';
import { needsSmtpUtf8, type HeaderField, type MessageContent } from '@postmesh/mail-format';
import { escapeHtml, holdsTemplate } from '@postmesh/templates';
import { withPreheader } from './preheader.js';
import type { AllFields, RequestContent, Values } from './request-content.js';

/** The recipient of the message. */
export interface MessageRecipient {
  /** of the message */
  readonly id: string;
  readonly email: string;
  /** of the sender: the right side of the Message-ID */
  readonly domain: string;
  readonly accountId: string;
  readonly campaignId?: string | null | undefined;
}

/**
 * The share of the rendering threads' time that a message counts against: top-level accounts share with each other;
 * within one, its sub-accounts and campaigns share with its other mail.
 */
export const fairShareOf = (
  { rendering }: Pick<RequestContent, 'rendering'>,
  { accountId, campaignId }: Pick<MessageRecipient, 'accountId' | 'campaignId'>,
): FairItem => ({
  family: rendering?.parentAccountId ?? accountId,
  key: campaignId ? `${accountId} campaigns` : accountId,
});

/** The part of `TemplateRenderer` (libs/templates) that is used here. */
export interface PartsRenderer {
  render(
    job: FairItem & {
      parts: readonly { name: string; source: string; escape: boolean | 'all' }[];
      values: readonly Values[];
      signal?: AbortSignal | undefined;
    },
  ): Promise<readonly RenderedParts[]>;
}

/** One per set of values; texts in the order of the parts. */
type RenderedParts =
  | { readonly ok: true; readonly texts: readonly string[] }
  | { readonly ok: false; readonly part: string; readonly reason: string; readonly slow?: true };

/** A source that cannot be rendered for a recipient: permanently, or while the machine is overloaded. */
export class RenderFailed extends Failure {
  readonly kind: 'poison' | 'transient';

  constructor(
    /** as the request calls it: `subject`, `html_content`, `headers.X-Note`, … */
    readonly part: string,
    readonly reason: string,
    slow = false,
  ) {
    super(`${part} cannot be rendered: ${reason}`);
    this.kind = slow ? 'transient' : 'poison';
  }
}

/**
 * The content of the message to one recipient: rendered, with its own To and Message-ID, the preheader in place.
 * @param signal aborted when the message is no longer needed
 * @throws RenderFailed; Transient when it cannot be rendered now; the reason of the signal
 */
export async function messageContentOf(
  content: RequestContent,
  recipient: MessageRecipient,
  renderer: PartsRenderer,
  signal?: AbortSignal,
): Promise<MessageContent> {
  const values = valuesFor(content, recipient.id);
  if (values === undefined)
    return addressed(content, recipient, content.preheader && escapeHtml(content.preheader));
  const sources = sourcesOf(content);
  const parts = sources.filter(({ source }) => holdsTemplate(source));
  const job = { ...fairShareOf(content, recipient), parts, values: [values], signal };
  const texts = parts.length === 0 ? [] : await render(job, renderer);
  const rendered = texts.values();
  const all = sources.map(({ source }) => (holdsTemplate(source) ? (rendered.next().value ?? '') : source));
  const made = withTexts(content, sources, all);
  return addressed(made, recipient, preheaderHtml(content, made));
}

/** @returns undefined when nothing is rendered for this recipient (spec 2-messages §4 rule 5) */
function valuesFor({ rendering, recipients }: RequestContent, id: string): Values | undefined {
  const own = rendering && recipients?.[id]?.values;
  return own && { ...rendering.values, ...own };
}

async function render(
  job: Parameters<PartsRenderer['render']>[0],
  renderer: PartsRenderer,
): Promise<readonly string[]> {
  const [rendered] = await renderer.render(job);
  if (!rendered) throw new Error('a renderer gives one result per set of values');
  if (!rendered.ok) throw new RenderFailed(rendered.part, rendered.reason, rendered.slow);
  return rendered.texts;
}

interface Source {
  readonly name: string;
  readonly source: string;
  readonly escape: boolean | 'all';
}

const TEXTS = [
  ['subject', 'subject'],
  ['text', 'text_content'],
  ['html', 'html_content'],
  ['amp', 'amp_content'],
  ['preheader', 'preheader'],
] as const;

/** The sources that can hold template language, named as in the API. */
function sourcesOf(content: RequestContent): Source[] {
  const texts = TEXTS.flatMap(([field, name]) => {
    const source = content[field];
    return source ? [{ name, source, escape: escapeOf(field, content) }] : [];
  });
  const headers = (content.headers ?? []).map(({ name, value }) => ({
    name: `headers.${name}`,
    source: value,
    escape: false,
  }));
  return [...texts, ...headers];
}

const escapeOf = (field: string, { rendering }: RequestContent): Source['escape'] =>
  field === 'preheader' && rendering?.preheaderIsHtml
    ? 'all'
    : field === 'html' && rendering?.escapeHtml === true;

/** A preheader that was not escaped during rendering is escaped as a whole, the text around its values included. */
function preheaderHtml({ preheader, rendering }: RequestContent, made: RequestContent): string | undefined {
  if (!preheader || made.preheader === undefined) return undefined;
  const isHtml = rendering?.preheaderIsHtml && holdsTemplate(preheader);
  return isHtml ? made.preheader : escapeHtml(made.preheader);
}

/** @param texts of the parts, in their order */
function withTexts(
  content: RequestContent,
  parts: readonly Source[],
  texts: readonly string[],
): RequestContent {
  const own: Partial<Record<(typeof TEXTS)[number][0], string>> = {};
  let at = 0;
  for (const [field, name] of TEXTS) if (parts[at]?.name === name) own[field] = texts[at++];
  const headers: HeaderField[] | undefined = content.headers?.map(({ name }) => ({
    name,
    value: texts[at++] ?? '',
  }));
  return { ...content, ...own, subject: oneLine(own.subject ?? content.subject), headers };
}

/** A value may bring line breaks into a subject; they become spaces. */
export const oneLine = (subject: string): string => subject.replace(/[\r\n\0]+/g, ' ').trim();

function addressed(
  content: RequestContent,
  { id, email, domain }: MessageRecipient,
  preheader: string | undefined,
): MessageContent {
  const name = content.recipients?.[id]?.name;
  const message: AllFields<MessageContent> = {
    from: content.from,
    to: content.to ?? [name ? { email, name } : { email }],
    cc: content.cc,
    replyTo: content.replyTo,
    subject: content.subject,
    messageId: content.messageId ?? `<${id}@${domain}>`,
    date: content.date,
    headers: content.headers,
    smtpUtf8: needsSmtpUtf8(email),
    text: content.text,
    html: content.html && preheader ? withPreheader(content.html, preheader) : content.html,
    amp: content.amp,
    attachments: content.attachments,
  };
  return message;
}
