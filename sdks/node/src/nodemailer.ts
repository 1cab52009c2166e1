import type { MessagesSendConversationBody } from './generated/types.gen.ts';
import type { Postmesh } from './client.ts';
import { PostmeshError } from './errors.ts';

/** The part of Nodemailer's `MailMessage` that is read. */
interface MailMessage {
  readonly data: object;
  normalize(callback: (error: Error | null, data: object) => void): void;
}

/** Fields of the API that Nodemailer has no words for: `sendMail({ …, postmesh: { tags: ['order'] } })`. */
export type PostmeshFields = Pick<
  MessagesSendConversationBody,
  'tags' | 'sandbox' | 'sandbox_result' | 'tracking' | 'retention' | 'schedule'
> & { readonly idempotencyKey?: string };

/** As of Nodemailer's other transports. */
export interface SentMessage {
  readonly messageId: string;
  readonly accepted: readonly string[];
  readonly rejected: readonly string[];
  readonly response: string;
}

interface Address {
  readonly address: string;
  readonly name?: string;
}

interface Attachment {
  readonly content?: unknown;
  readonly encoding?: string;
  readonly filename?: string | false;
  readonly contentType?: string;
  readonly contentDisposition?: string;
  readonly cid?: string;
}

interface Normalized {
  readonly from?: Address;
  readonly to?: readonly Address[];
  readonly cc?: readonly Address[];
  readonly bcc?: readonly Address[];
  readonly replyTo?: readonly Address[];
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
  readonly amp?: string;
  readonly attachments?: readonly Attachment[];
  readonly postmesh?: PostmeshFields;
}

/** Nodemailer has them, the API has not: refused by name, never dropped in silence. */
const REFUSED = ['alternatives', 'dkim', 'envelope', 'icalEvent', 'messageId', 'raw', 'sender', 'watchHtml'];
const PRIORITIES: Record<string, string> = { high: '1 (Highest)', low: '5 (Lowest)' };

/** `nodemailer.createTransport(postmeshTransport(new Postmesh()))` sends each mail by the API, as one conversation. */
export function postmeshTransport(postmesh: Postmesh) {
  return {
    name: 'postmesh',
    version: '2',
    send(mail: MailMessage, callback: (error: Error | null, info: SentMessage) => void): void {
      send(postmesh, mail).then(
        (info) => callback(null, info),
        (error: unknown) => callback(error as Error, undefined as never),
      );
    },
  };
}

async function send(postmesh: Postmesh, mail: MailMessage): Promise<SentMessage> {
  const given = mail.data as Record<string, unknown>;
  // before `normalize`, which adds some of them
  const refused = REFUSED.filter((name) => given[name] != null);
  if (refused.length > 0) throw new PostmeshError(`not supported by the API: ${refused.join(', ')}`);
  const headers = headersOf(given);
  const data = await new Promise<Normalized>((resolve, reject) =>
    mail.normalize((error, normalized) => (error ? reject(error) : resolve(normalized))),
  );
  const { idempotencyKey, ...fields } = data.postmesh ?? {};
  const { data: results } = await postmesh.messages.sendConversation({
    body: { ...bodyOf(data, headers), ...fields },
    ...(idempotencyKey ? { headers: { 'Idempotency-Key': idempotencyKey } } : {}),
  });
  const addresses = (isError: boolean) =>
    results.filter((one) => (one.status === 'error') === isError).map(({ recipient }) => recipient.email);
  const [first] = results;
  if (first && addresses(false).length === 0)
    throw new PostmeshError(`no recipient was accepted: ${first.error}`);
  return {
    messageId: results.find(({ id }) => id !== null)?.id ?? '',
    accepted: addresses(false),
    rejected: addresses(true),
    response: results[0]?.status ?? '',
  };
}

function bodyOf(data: Normalized, headers: Header[]): MessagesSendConversationBody {
  const { from, to, cc, bcc, replyTo = [], text, html, amp, subject, attachments } = data;
  if (!from) throw new PostmeshError('from is missing');
  if (!to?.length) throw new PostmeshError('to is missing: bcc alone is not supported by the API');
  if (replyTo.length > 1) throw new PostmeshError('the API takes one replyTo');
  const [answersTo] = replyTo;
  return {
    from: person(from),
    to: to.map(person),
    ...(cc?.length ? { cc: cc.map(person) } : {}),
    ...(bcc?.length ? { bcc: bcc.map(person) } : {}),
    ...(answersTo ? { reply_to: person(answersTo) } : {}),
    subject: subject ?? '',
    ...(text ? { text_content: text } : {}),
    ...(html ? { html_content: html } : {}),
    ...(amp ? { amp_content: amp } : {}),
    ...(attachments?.length ? { attachments: attachments.map(attachmentOf) } : {}),
    ...(headers.length > 0 ? { headers } : {}),
  };
}

const person = ({ address, name }: Address) => ({ email: address, ...(name ? { name } : {}) });

function attachmentOf({ content, encoding, filename, contentType, contentDisposition, cid }: Attachment) {
  const text = String(content ?? '');
  const isBase64 = encoding === 'base64';
  return {
    data: isBase64 ? text : Buffer.from(text, (encoding ?? 'utf8') as BufferEncoding).toString('base64'),
    base64: true,
    content_type: contentType || 'application/octet-stream',
    file_name: filename || 'attachment',
    ...(contentDisposition ? { content_disposition: contentDisposition } : {}),
    ...(cid ? { content_id: `<${cid.replace(/^<|>$/g, '')}>` } : {}),
  };
}

interface Header {
  name: string;
  value: string;
}

/** `headers` in each of Nodemailer's forms, and the fields that stand for headers. */
function headersOf(data: Record<string, unknown>): Header[] {
  const { headers = {}, inReplyTo, references, date, priority, list } = data;
  if (list != null) throw new PostmeshError('not supported by the API: list; give headers instead');
  const pairs = Array.isArray(headers)
    ? headers.map(({ key, value }: { key: string; value: unknown }) => [key, value] as const)
    : Object.entries(headers as object);
  const known = {
    'In-Reply-To': inReplyTo,
    References: Array.isArray(references) ? references.join(' ') : references,
    Date: date == null ? undefined : new Date(date as string).toUTCString().replace('GMT', '+0000'),
    'X-Priority': PRIORITIES[String(priority)],
  };
  return [...pairs, ...Object.entries(known)].flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => ({ name, value: textOf(one) })),
  );
}

const textOf = (value: unknown): string =>
  String(typeof value === 'object' && value !== null && 'value' in value ? value.value : value);
