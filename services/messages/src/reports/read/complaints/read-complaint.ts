import { ReadFields, readFields } from '@postmesh/mail-format';
import { readAddress } from '../addresses.rules.js';
import type { Complaint } from '../report.js';
import { COMPLAINT_FORMS, type ComplaintForm } from './complaints.table.js';

const MAX_CHARS = 64 * 1024;
const MAX_MARK_CHARS = 1_000;

export interface ComplaintMarks {
  /** of the received message */
  readonly fields: ReadFields;
  /** of the enclosed message */
  readonly enclosed?: ReadFields | undefined;
  /** of the message/feedback-report part */
  readonly feedback?: string | undefined;
  /** the writer's own text */
  readonly text: string;
}

type ComplaintReading = Pick<Complaint, 'form' | 'feedbackType' | 'recipient' | 'userAgent' | 'sourceIp'>;

/** @returns undefined when it is no complaint */
export function readComplaint(marks: ComplaintMarks): ComplaintReading | undefined {
  const inPart = marks.feedback === undefined ? undefined : readFeedbackFields(marks.feedback);
  const inText = /^\s{0,40}feedback-type[ \t]{0,10}:/im.test(marks.text.slice(0, 4_000))
    ? readFeedbackFields(marks.text)
    : undefined;
  const feedback = inPart ?? inText;
  const form = COMPLAINT_FORMS.find((each) => fits(each, marks, { inPart, inText }));
  if (form === undefined) return undefined;
  const recipients = [
    ...(feedback?.all('original-rcpt-to') ?? []),
    form.recipientIn === undefined ? undefined : marks.enclosed?.first(form.recipientIn),
  ];
  return {
    form: form.id,
    feedbackType: (feedback?.first('feedback-type') ?? form.feedbackType).trim().toLowerCase().slice(0, 40),
    recipient: recipients.map(readAddress).find(isShown),
    userAgent: feedback?.first('user-agent')?.slice(0, MAX_MARK_CHARS),
    sourceIp: feedback?.first('source-ip')?.slice(0, 45),
  };
}

/** Reporters mask the address or a part of it (RFC 6590). */
const isShown = (address: string | undefined): boolean =>
  address !== undefined && !/\*|redacted/.test(address);

function fits(
  form: ComplaintForm,
  { fields, enclosed }: ComplaintMarks,
  { inPart, inText }: { inPart?: ReadFields | undefined; inText?: ReadFields | undefined },
): boolean {
  const { from, subject, header, userAgent, has } = form;
  if (has === 'fields' && inPart === undefined) return false;
  if (has === 'text' && inText === undefined) return false;
  if (has === 'message' && (inPart !== undefined || enclosed === undefined) && header === undefined)
    return false;
  if (header !== undefined && (fields.first(header) ?? enclosed?.first(header)) === undefined) return false;
  const agent = inPart?.first('user-agent') ?? '';
  return (
    (from?.test(mark(fields.words('from'))) ?? true) &&
    (subject?.test(mark(fields.words('subject'))) ?? true) &&
    (userAgent?.test(mark(agent)) ?? true)
  );
}

const mark = (value = ''): string => value.slice(0, MAX_MARK_CHARS);

/** The fields may be in groups (RFC 5965 has one); a text continues after them. */
function readFeedbackFields(text: string): ReadFields {
  return new ReadFields(readFields(text.slice(0, MAX_CHARS)));
}
