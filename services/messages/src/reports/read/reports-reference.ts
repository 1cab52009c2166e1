import { AUTO_REPLIES } from './auto-replies/auto-replies.table.js';
import type { Condition, Form } from './bounce-texts/forms.schema.js';
import { FORMS } from './bounce-texts/forms.table.js';
import { DAEMON } from './bounce-texts/server-forms.table.js';
import { COMPLAINT_FORMS, type ComplaintForm } from './complaints/complaints.table.js';

const INTRODUCTION = `# Bounces, complaints and auto-replies

Generated from \`services/messages/src/reports/read\` by \`npm run generate\`. Mail to a bounce or a feedback address is read in this order; the first match decides its kind:

1. a read receipt (RFC 8098): dropped
2. a delivery report (RFC 3464) in a part of the message itself, not of one that it encloses
3. a complaint (RFC 5965), or a mail with the form of one
4. a bounce in words, by the forms below
5. an auto-reply (RFC 3834): dropped
6. anything else: dropped

At the address of feedback loops (\`POSTMESH_FEEDBACK_LOOP_ADDRESS\`) only complaints count, about the message that their enclosure
names; anything else there is kept for operators (\`npx postmesh feedback\`).

A delivery report changes a message only when it says \`failed\` with 5.x. Among several recipients the one counts whose Original-Recipient or Final-Recipient is that of the message; a single one counts whatever it names. A specific enhanced
code of the server comes before the one that the reporter derived from it. The meaning of codes and words is in
[replies.md](replies.md), rows of providers by Remote-MTA, else by Reporting-MTA.

The form is in the log line \`report.handled\`. Samples are in \`services/messages/src/reports/read/golden\`, each with its parsed result.`;

/** docs/reports.md */
export function reportsReference(): string {
  const parts = [
    INTRODUCTION,
    section(
      `Writers of bounces\n\nFrom a mail server is a From with ${code(DAEMON, DAEMON.length)}.`,
      ['form', 'written by', 'recognised by', 'reason', 'samples'],
      FORMS.map(formLine),
    ),
    section(
      'Writers of complaints',
      ['form', 'reported by', 'recognised by', 'type', 'the message is found by', 'samples'],
      COMPLAINT_FORMS.map(complaintLine),
    ),
    section(
      'Auto-replies',
      ['row', 'recognised by', 'for example', 'source'],
      AUTO_REPLIES.map(({ id, header, says, subject, sample, because }) =>
        line(
          id,
          header === undefined ? words('subject', subject) : field(header, says),
          code(sample),
          because,
        ),
      ),
    ),
  ];
  return `${parts.join('\n\n')}\n`;
}

const WAYS: Readonly<Record<Form['reason'][number], string>> = {
  'behind-words': 'behind its words',
  'below-address': 'below the address',
  code: 'next to the first code',
  subject: 'the subject',
};

function formLine({ id, writer, when, action, reason, about, samples }: Form): string {
  const why = action === 'delayed' ? 'none: a warning' : reason.map((way) => WAYS[way]).join(', else ');
  const always = about?.over === 'always' ? `always ${about.kind}` : undefined;
  const otherwise = about?.over === 'unless-known' ? `${about.kind} where nothing else is known` : undefined;
  return line(
    id,
    writer,
    when.map(conditionText).join(' or '),
    [why, always, otherwise].filter((part) => part !== undefined).join('; '),
    samples.join(', '),
  );
}

const conditionText = ({ from, subject, header, says, statusField, boundary, text }: Condition): string =>
  [
    words('From', from),
    words('subject', subject),
    header === undefined ? undefined : field(header, says),
    statusField === undefined ? undefined : `status field ${code(statusField)}`,
    words('boundary', boundary),
    words('text', text),
  ]
    .filter((part) => part !== undefined)
    .join(', ');

function complaintLine(form: ComplaintForm): string {
  const { id, reporter, from, subject, header, userAgent, has, feedbackType, foundBy, samples } = form;
  const marks = [
    words('From', from),
    words('subject', subject),
    header === undefined ? undefined : field(header, undefined),
    words('User-Agent', userAgent),
    { fields: 'message/feedback-report', text: 'its fields as a text', message: 'no such fields' }[has],
  ];
  return line(
    id,
    reporter,
    marks.filter((part) => part !== undefined).join(', '),
    has === 'message' ? feedbackType : 'Feedback-Type',
    foundBy,
    samples.join(', '),
  );
}

const MAX_PATTERN_CHARS = 160;

function words(what: string, pattern: RegExp | undefined): string | undefined {
  if (pattern?.source === DAEMON) return `${what} a mail server`;
  return pattern === undefined ? undefined : `${what} ${code(pattern.source)}`;
}

const field = (name: string, says: RegExp | undefined): string =>
  says === undefined ? `header ${code(name)}` : `header ${code(name)} with ${code(says.source)}`;

function section(title: string, heading: readonly string[], lines: readonly string[]): string {
  return [`## ${title}\n`, line(...heading), line(...heading.map(() => '---')), ...lines].join('\n');
}

const line = (...cells: (string | undefined)[]): string => `| ${cells.join(' | ')} |`;

/** Long lists of words are cut: the table itself has all of them. */
function code(text: string, maxChars = MAX_PATTERN_CHARS): string {
  const short = text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
  return `\`${short.replaceAll('|', '\\|')}\``;
}
