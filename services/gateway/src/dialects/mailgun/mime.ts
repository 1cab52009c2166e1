import {
  isIgnoredHeader,
  parseMessage,
  readMailboxes,
  type Mailbox,
  type ParsedMessage,
} from '@postmesh/mail-format';
import { FieldError, type Fragment } from '../fields.js';
import { contentId } from '../readers.js';

interface MimeMessage extends Fragment {
  readonly from: Mailbox;
}

const FIELD = 'message';

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
 * @param recipients of the request: they alone get the message
 * @throws FieldError for a message that ours cannot have
 */
export async function readMime(raw: Buffer, recipients: readonly Mailbox[]): Promise<MimeMessage> {
  const { parts, attachments, headers } = await parseMessage(raw);
  const fields = new Map(
    Object.entries(headers).map(([name, values]) => [name.toLowerCase(), { name, values }]),
  );
  const valueOf = (name: string) => fields.get(name)?.values[0];
  const type = valueOf('content-type') ?? '';
  if (SEALED.test(type))
    throw new FieldError(FIELD, 'is signed or encrypted as a whole, which is not supported');
  const [from] = mailboxesOf(valueOf('from'), 'From');
  if (!from) throw new FieldError(FIELD, 'must have a header From');
  return {
    from,
    ...envelopeOf(recipients, mailboxesOf(valueOf('to'), 'To'), mailboxesOf(valueOf('cc'), 'Cc')),
    ...(valueOf('subject') !== undefined && { subject: valueOf('subject') }),
    ...bodiesOf(parts),
    attachments: attachments.map(attachmentOf),
    headers: [...fields]
      .filter(([name]) => !READ_ELSEWHERE.has(name) && !isIgnoredHeader(name))
      .flatMap(([, { name, values }]) => values.map((value) => ({ name, value }))),
  };
}

function mailboxesOf(value: string | undefined, header: string): readonly Mailbox[] {
  const found = value === undefined ? [] : readMailboxes(value);
  if (!found) throw new FieldError(FIELD, `has a header ${header} that is no list of addresses`);
  return found;
}

/** Visible recipients who are none of the request would get the message from ours. */
function envelopeOf(
  recipients: readonly Mailbox[],
  to: readonly Mailbox[],
  cc: readonly Mailbox[],
): Fragment {
  const key = ({ email }: Mailbox) => email.toLowerCase();
  const wanted = new Set(recipients.map(key));
  const visible = [...to, ...cc];
  const other = visible.find((one) => !wanted.has(key(one)));
  if (other) throw new FieldError('to', `must have each recipient of the message, also ${other.email}`);
  const shown = new Set(visible.map(key));
  const hidden = recipients.filter((one) => !shown.has(key(one)));
  if (to.length === 0) throw new FieldError(FIELD, 'must have a header To: ours needs a visible recipient');
  return {
    to,
    ...(cc.length > 0 && { cc }),
    ...(hidden.length > 0 && { bcc: hidden }),
  };
}

function bodiesOf(parts: ParsedMessage['parts']): Fragment {
  const bodies: Fragment = {};
  for (const { content_type: type, content } of parts) {
    const field = BODIES[type];
    if (field === undefined || bodies[field] !== undefined)
      throw new FieldError(FIELD, `has more than one body of ${type}, which is not supported`);
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
