import type { SmtpReply } from '@postmesh/messages-contract';
import {
  controlName,
  fieldBytes,
  fieldText,
  fieldValue,
  formatDate,
  nameGivenTwice,
  parseEmailAddress,
  readControls,
  readRawMessage,
  recodeMessage,
  soleAddress,
  writeField,
  type Controls,
  type EmailAddress,
  type HeaderField,
  type RawField,
} from '@postmesh/mail-format';
import { oneLine } from '@postmesh/message-content';
import { MAX_SUBJECT_CHARACTERS } from '../accept/send.schema.js';

/** The facts of a client's message, and its fields to be sent. */
export interface RawSubmission {
  author: EmailAddress;
  /** decoded, for lists and events */
  subject: string;
  /** with angle brackets; undefined: it needs a new one */
  messageId: string | undefined;
  hasDate: boolean;
  controls: Controls;
  /** without fields for us alone */
  fields: readonly RawField[];
  body: readonly Buffer[];
}

type ReadSubmission = { ok: true; submission: RawSubmission } | { ok: false; reply: SmtpReply };

/** Fields for us alone, or written by us (spec 2-messages §13 rule 8, §5.1). */
const DROPPED = new Set([
  'bcc',
  'resent-bcc',
  'return-path',
  'feedback-id',
  'cfbl-address',
  'cfbl-feedback-id',
]);
// RFC 5321 §6.3 requires at least 100 hops to be allowed; servers give up at 25 to 100. Between a client and us there
// are few.
const MAX_HOPS = 50;
const MESSAGE_ID = /^<[\x21-\x3b\x3d\x3f-\x7e]{1,900}>$/;

const malformed = (text: string): SmtpReply => ({
  code: 552,
  enhanced: '5.6.0',
  text: `message malformed: ${text}`,
});
const refused = (reply: SmtpReply): ReadSubmission => ({ ok: false, reply });

/**
 * Parses a message of an SMTP client, and repairs forms that a server may refuse (spec 2-messages §13 rule 5).
 * @param options.smtpUtf8 the client used SMTPUTF8: its headers may be in UTF-8
 */
export function readSubmission(
  raw: Buffer,
  { controlPrefixes, smtpUtf8 }: { controlPrefixes: readonly string[]; smtpUtf8: boolean },
): ReadSubmission {
  const read = readRawMessage(raw);
  if (!read.ok) return refused(malformed(read.problem));
  const { fields, body } = read.message;
  if (fields.filter(({ name }) => name === 'received').length > MAX_HOPS) return refused(LOOP);
  const twice = nameGivenTwice(fields.map(({ name }) => name).filter((name) => !DROPPED.has(name)));
  if (twice !== undefined) return refused(malformed(`it has more than one header '${twice}'`));
  const fieldOf = (name: string) => fields.find((field) => field.name === name);
  const from = fieldOf('from');
  if (!from) return refused(malformed("it has no header 'from'"));
  const author = parseEmailAddress(soleAddress(fieldValue(from)) ?? '');
  if (!author.ok || author.address.needsSmtpUtf8) {
    return refused(malformed("the header 'from' must name one ASCII address"));
  }
  const [subject, given] = [fieldOf('subject'), fieldOf('message-id')];
  const messageId = given && MESSAGE_ID.test(fieldValue(given)) ? fieldValue(given) : undefined;
  const kept = fields.filter(
    ({ name }) =>
      !DROPPED.has(name) &&
      controlName(name, controlPrefixes) === undefined &&
      (name !== 'message-id' || messageId !== undefined),
  );
  const recoded = recodeMessage({ fields: kept, body }, { smtpUtf8 });
  if (!recoded.ok) return refused(malformed(recoded.problem));
  const submission = {
    author: author.address,
    subject: subject ? shortened(oneLine(fieldText(subject))) : '',
    messageId,
    hasDate: recoded.message.fields.some(({ name }) => name === 'date'),
    controls: controlsOf(fields, controlPrefixes),
    ...recoded.message,
  };
  return { ok: true, submission };
}

const LOOP: SmtpReply = { code: 554, enhanced: '5.4.6', text: 'too many hops, this message is looping' };

const shortened = (subject: string): string =>
  subject.length <= MAX_SUBJECT_CHARACTERS ? subject : [...subject].slice(0, MAX_SUBJECT_CHARACTERS).join('');

/** An invalid value counts as none (spec 2-messages §13.5). */
function controlsOf(fields: readonly RawField[], prefixes: readonly string[]): Controls {
  const given = new Map<string, HeaderField>();
  for (const field of fields) {
    const setting = controlName(field.name, prefixes);
    if (setting !== undefined) given.set(setting, { name: field.name, value: fieldText(field) });
  }
  return readControls(given).controls;
}

/** Without the trace and added fields. */
export const bytesOf = ({ fields, body }: RawSubmission): number =>
  [fieldBytes(fields), ...body].reduce((sum, { length }) => sum + length, 2);

export interface Trace {
  /** of the first record */
  id: string;
  /** the name of our host */
  host: string;
  receivedAt: Date;
  /** for a message that has none */
  messageId: string;
}

/**
 * The stored message, in pieces: our trace field on top, a Message-ID and a date where they are missing. The trace has
 * neither address nor name of the client's machine: recipients do not need them (RFC 5321 §7.6).
 */
export function tracedMessage(submission: RawSubmission, trace: Trace): Buffer[] {
  const { fields, body, messageId, hasDate } = submission;
  const at = formatDate(trace.receivedAt);
  const field = (name: string, value: string): RawField => ({ name, text: writeField({ name, value }) });
  const all = [
    field('Received', `by ${trace.host} with ESMTPSA id ${trace.id}; ${at}`),
    ...fields,
    ...(hasDate ? [] : [field('Date', at)]),
    ...(messageId === undefined ? [field('Message-ID', trace.messageId)] : []),
  ];
  const last = body.findLast(({ length }) => length > 0);
  const end = last && !last.subarray(-2).equals(CRLF) ? [CRLF] : [];
  return [fieldBytes(all), CRLF, ...body, ...end];
}

const CRLF = Buffer.from('\r\n', 'latin1');
