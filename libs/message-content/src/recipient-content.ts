import { Poison } from '@postmesh/contracts';
import type { HeaderField, MessageContent } from '@postmesh/mail-format';
import { withPreheader } from './preheader.js';
import type { RequestContent, Values } from './request-content.js';

/** Whose message it is. */
export interface MessageRecipient {
  /** of the message */
  readonly id: string;
  readonly email: string;
  /** of the sender: the right side of the Message-ID */
  readonly domain: string;
  /** rendering takes turns by account */
  readonly accountId: string;
}

/** What `TemplateRenderer` of libs/templates does. */
export interface PartsRenderer {
  render(job: {
    /** jobs of one key take turns with those of others */
    key: string;
    parts: readonly { name: string; source: string; escape: boolean }[];
    values: readonly Values[];
  }): Promise<readonly RenderedParts[]>;
}

/** One per set of values; texts in the order of the parts. */
type RenderedParts =
  | { readonly ok: true; readonly texts: readonly string[] }
  | { readonly ok: false; readonly part: string; readonly reason: string };

/** A source that cannot be rendered for a recipient. */
export class RenderFailed extends Poison {
  constructor(
    /** as the request calls it: `subject`, `html_content`, `headers.X-Note`, … */
    readonly part: string,
    readonly reason: string,
  ) {
    super(`${part} cannot be rendered: ${reason}`);
  }
}

/**
 * The content of the message to one recipient: rendered, with its own To and Message-ID, the preheader in place.
 * @throws RenderFailed
 */
export async function messageContentOf(
  content: RequestContent,
  recipient: MessageRecipient,
  renderer: PartsRenderer,
): Promise<MessageContent> {
  const [made] = await messageContentsOf(content, [recipient], renderer);
  if (made === undefined || made instanceof RenderFailed) throw made ?? new Error('nothing was rendered');
  return made;
}

/**
 * The same for several recipients in one rendering job: all of their texts are in memory at once.
 * @returns in the order of the recipients; what cannot be rendered for one does not hold up the others
 */
export async function messageContentsOf(
  content: RequestContent,
  recipients: readonly MessageRecipient[],
  renderer: PartsRenderer,
): Promise<(MessageContent | RenderFailed)[]> {
  const parts = content.rendering === undefined ? [] : sourcesOf(content);
  const values = recipients.map(({ id }) => (parts.length === 0 ? undefined : valuesFor(content, id)));
  const rendered = await renderEach(parts, values, { key: recipients[0]?.accountId ?? '', renderer });
  return recipients.map((recipient, nth) => {
    const result = rendered[nth];
    if (result?.ok === false) return new RenderFailed(result.part, result.reason);
    return addressed(withTexts(content, parts, result?.texts), recipient);
  });
}

/** Only for recipients with values; the others' place in the result stays empty. */
async function renderEach(
  parts: readonly Source[],
  values: readonly (Values | undefined)[],
  { key, renderer }: { key: string; renderer: PartsRenderer },
): Promise<(RenderedParts | undefined)[]> {
  const given = values.filter((each) => each !== undefined);
  if (given.length === 0) return [];
  const results = (await renderer.render({ key, parts, values: given })).values();
  return values.map((each) => (each === undefined ? undefined : (results.next().value ?? missingResult())));
}

function missingResult(): never {
  throw new Error('a renderer gives one result per set of values');
}

/** @returns undefined when nothing is rendered for this recipient (spec 2-messages §4 rule 5) */
function valuesFor({ rendering, recipients }: RequestContent, id: string): Values | undefined {
  const own = recipients?.[id]?.values;
  return own && { ...rendering?.values, ...own };
}

interface Source {
  readonly name: string;
  readonly source: string;
  readonly escape: boolean;
}

const TEXTS = [
  ['subject', 'subject'],
  ['text', 'text_content'],
  ['html', 'html_content'],
  ['amp', 'amp_content'],
  ['preheader', 'preheader'],
] as const;

/** What can hold template language, in the words of the API. */
function sourcesOf(content: RequestContent): Source[] {
  const texts = TEXTS.flatMap(([field, name]) => {
    const source = content[field];
    // the preheader is escaped as a whole, with what stands around its values
    const escape = field === 'html' && content.rendering?.escapeHtml === true;
    return source ? [{ name, source, escape }] : [];
  });
  const headers = (content.headers ?? []).map(({ name, value }) => ({
    name: `headers.${name}`,
    source: value,
    escape: false,
  }));
  return [...texts, ...headers];
}

/** @param texts of the parts, in their order; undefined: everything is literal */
function withTexts(
  content: RequestContent,
  parts: readonly Source[],
  texts: readonly string[] | undefined,
): RequestContent {
  if (texts === undefined) return content;
  const own: Partial<Record<(typeof TEXTS)[number][0], string>> = {};
  let at = 0;
  for (const [field, name] of TEXTS) if (parts[at]?.name === name) own[field] = texts[at++];
  const headers: HeaderField[] | undefined = content.headers?.map(({ name }) => ({
    name,
    value: texts[at++] ?? '',
  }));
  return { ...content, ...own, subject: oneLine(own.subject ?? content.subject), headers };
}

/** A value may bring line breaks into a subject, which has none. */
const oneLine = (subject: string): string => subject.replace(/[\r\n\0]+/g, ' ').trim();

function addressed(content: RequestContent, { id, email, domain }: MessageRecipient): MessageContent {
  const { rendering: _rendering, preheader, recipients, ...shared } = content;
  const name = recipients?.[id]?.name;
  return {
    ...shared,
    to: content.to ?? [name ? { email, name } : { email }],
    messageId: content.messageId ?? `<${id}@${domain}>`,
    html: content.html && preheader ? withPreheader(content.html, preheader) : content.html,
  };
}
