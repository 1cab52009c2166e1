import {
  isIgnoredHeader,
  parseMessage,
  readMailboxes,
  type Mailbox,
  type ParsedMessage,
} from '@postmesh/mail-format';
import { FieldError, type Fragment } from './fields.js';
import { contentId } from './readers.js';

interface MimeMessage extends Fragment {
  readonly from: Mailbox;
}

/** The names of the fields of the message and of its recipients in a dialect. */
interface MimeNames {
  readonly message: string;
  readonly to: string;
}
const MAILGUN_NAMES: MimeNames = { message: 'message', to: 'to' };

/** The bodies of ours by their types. */
const BODIES: Readonly<Record<string, string>> = {
  'text/plain': 'text_content',
  'text/html': 'html_content',
  'text/x-amp-html': 'amp_content',
};

/** Their parts mean something as they are alone. */
const SEALED = /^(?:multipart\/(?:signed|encrypted|report)|application\/(?:x-)?pkcs7-mime)/i;

const READ_ELSEWHERE: ReadonlySet<string> = new Set(['from', 'to', 'cc', 'bcc', 'subject']);

/**
 * A message of theirs as the fields of a conversation.
 * @param recipients of the request: they alone get the message; undefined: those of its headers
 * @throws FieldError for a message that ours cannot have
 */
export async function readMime(
  raw: Buffer,
  recipients: readonly Mailbox[] | undefined,
  names = MAILGUN_NAMES,
): Promise<MimeMessage> {
  const { parts, attachments, headers } = await parseMessage(raw);
  const fields = new Map(
    Object.entries(headers).map(([name, values]) => [name.toLowerCase(), { name, values }]),
  );
  const valueOf = (name: string) => fields.get(name)?.values[0];
  const type = valueOf('content-type') ?? '';
  if (SEALED.test(type))
    throw new FieldError(names.message, 'is signed or encrypted as a whole, which is not supported');
  const listOf = (header: string) => mailboxesOf(valueOf(header.toLowerCase()), header, names);
  const [from] = listOf('From');
  if (!from) throw new FieldError(names.message, 'must have a header From');
  return {
    from,
    ...envelopeOf(recipients ?? ['To', 'Cc', 'Bcc'].flatMap(listOf), listOf('To'), listOf('Cc'), names),
    ...(valueOf('subject') !== undefined && { subject: valueOf('subject') }),
    ...bodiesOf(parts, names),
    attachments: attachments.map(attachmentOf),
    headers: [...fields]
      .filter(([name]) => !READ_ELSEWHERE.has(name) && !isIgnoredHeader(name))
      .flatMap(([, { name, values }]) => values.map((value) => ({ name, value }))),
  };
}

function mailboxesOf(value: string | undefined, header: string, names: MimeNames): readonly Mailbox[] {
  const found = value === undefined ? [] : readMailboxes(value);
  if (!found) throw new FieldError(names.message, `has a header ${header} that is no list of addresses`);
  return found;
}

/** Visible recipients who are none of the request would get the message from ours. */
function envelopeOf(
  recipients: readonly Mailbox[],
  to: readonly Mailbox[],
  cc: readonly Mailbox[],
  names: MimeNames,
): Fragment {
  const key = ({ email }: Mailbox) => email.toLowerCase();
  const wanted = new Set(recipients.map(key));
  const visible = [...to, ...cc];
  const other = visible.find((one) => !wanted.has(key(one)));
  if (other) throw new FieldError(names.to, `must have each recipient of the message, also ${other.email}`);
  const shown = new Set(visible.map(key));
  const hidden = recipients.filter((one) => !shown.has(key(one)));
  if (to.length === 0)
    throw new FieldError(names.message, 'must have a header To: ours needs a visible recipient');
  return {
    to,
    ...(cc.length > 0 && { cc }),
    ...(hidden.length > 0 && { bcc: hidden }),
  };
}

function bodiesOf(parts: ParsedMessage['parts'], names: MimeNames): Fragment {
  const bodies: Fragment = {};
  for (const { content_type: type, content } of parts) {
    const field = BODIES[type];
    if (field === undefined || bodies[field] !== undefined)
      throw new FieldError(names.message, `has more than one body of ${type}, which is not supported`);
    bodies[field] = content;
  }
  return bodies;
}

const attachmentOf = ({
  filename,
  content,
  content_type,
  content_id: id,
}: ParsedMessage['attachments'][number]) => ({
  data: content,
  base64: true,
  file_name: filename || 'file',
  content_type,
  ...(id && { content_id: contentId(id) }),
});
