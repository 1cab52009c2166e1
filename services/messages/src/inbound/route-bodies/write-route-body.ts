import type { RouteBodyRequest } from '@postmesh/messages-contract';
import { base64Of, firstAddress, readParts, type Part, type ReadFields } from '@postmesh/mail-format';
import { escapedText } from '../../read-message/escaped-text.js';
import { joinedText, routeParts, type RouteAttachment } from './route-parts.rules.js';
import { withoutQuotes } from './strip-quotes.rules.js';

export interface RouteMessage {
  request: RouteBodyRequest;
  /** as stored */
  raw: Buffer;
  /** bytes as received */
  size: number;
}

// No spam filter exists; the field for its score is 0 = not checked (spec 2-messages §16 rule 4).
const SPAM_SCORE = 0;

/**
 * The JSON text of one route call (spec 2-messages §19.4), in pieces of some 100 KiB, so that of a message with large
 * attachments only one piece is in memory a second time. The bytes are the same each time.
 */
export function* writeRouteBody(message: RouteMessage): Generator<string> {
  const { request } = message;
  const { root } = readParts(message.raw);
  const { plain, html, attachments } = routeParts(root);
  const head = {
    type: 'message.routing',
    timestamp: request.occurred_at,
    route_id: request.route_id,
    data: headOf(message, root),
  };
  // ends with `}}`: the following fields are in data too
  yield JSON.stringify(head).slice(0, -2);
  yield* textField('html_body', joinedText(html));
  const plainBody = joinedText(plain);
  yield* textField('plain_body', plainBody);
  yield* textField('reply_from_plain_body', request.strip_replies ? withoutQuotes(plainBody) : '');
  yield ',"attachments":[';
  for (const [nth, attachment] of (request.attachments ? attachments : []).entries()) {
    yield* attachmentJson(attachment, nth);
  }
  yield ']';
  if (request.headers) yield `,"headers":${JSON.stringify(firstValues(root.fields))}`;
  yield '}}';
}

function headOf({ request, size }: RouteMessage, root: Part): object {
  const field = (name: string) => root.fields.first(name) ?? '';
  return {
    id: request.message_id.replaceAll('-', ''),
    from: field('from'),
    reply_to: firstAddress(field('reply-to')) ?? firstAddress(field('from')) ?? '',
    to: request.to,
    subject: field('subject'),
    message_id: field('message-id'),
    size,
    spam_score: SPAM_SCORE,
    bounce: isReport(root),
    cc: field('cc'),
    date: field('date'),
    in_reply_to: field('in-reply-to'),
    references: field('references'),
    auto_submitted: field('auto-submitted'),
  };
}

/** RFC 3462, RFC 6522 */
const isReport = ({ type, parameters }: Part): boolean =>
  type === 'multipart/report' && parameters.get('report-type')?.toLowerCase() === 'delivery-status';

/** Names in the spelling `X-Mailer`, each with its first value. */
function firstValues({ list }: ReadFields): Record<string, string> {
  const values = new Map<string, string>();
  for (const { name, value } of list) {
    const canonical = name.replace(/(?:^|-)[a-z]/g, (initial) => initial.toUpperCase());
    if (!values.has(canonical)) values.set(canonical, value);
  }
  return Object.fromEntries(values);
}

function* attachmentJson(attachment: RouteAttachment, nth: number): Generator<string> {
  const { filename, contentType, contentId, disposition, part } = attachment;
  const head = JSON.stringify({ filename, content_type: contentType, content_id: contentId, disposition });
  yield `${nth === 0 ? '' : ','}${head.slice(0, -1)},"data":"`;
  yield* base64Of(part.body, part.encoding);
  yield '"}';
}

/** As JSON.stringify writes it, in pieces. */
function* textField(name: string, text: string): Generator<string> {
  yield `,"${name}":"`;
  yield* escapedText(text);
  yield '"';
}
