import { ReadFields, readFields } from '@postmesh/mail-format';
import { describe, expect, it } from 'vitest';
import { AUTO_REPLIES } from './auto-replies/auto-replies.table.js';
import { findAutoReply } from './auto-replies/find-auto-reply.js';
import { FORMS } from './bounce-texts/forms.table.js';
import { Form } from './bounce-texts/forms.schema.js';
import { COMPLAINT_FORMS } from './complaints/complaints.table.js';
import { readReport } from './read-report.js';
import type { Report } from './report.js';
import { sample, SAMPLE_KEY, SAMPLES } from './testing/samples.js';

const read = (raw: string | Buffer): Report =>
  readReport(typeof raw === 'string' ? Buffer.from(raw, 'latin1') : raw, { keys: [SAMPLE_KEY] });

const formOf = (report: Report): string | undefined => ('form' in report ? report.form : undefined);

/** Samples without a form. */
const WITHOUT_FORM = [
  ...[...SAMPLES.keys()].filter((name) => name.startsWith('auto-')),
  'receipt',
  'forwarded-dsn',
  'newsletter',
  'reply-quoting-bounce',
];
/** Standard reports of no particular writer, each for a rule. */
const STANDARD = [...SAMPLES.keys()].filter((name) => name.startsWith('dsn-'));

const OF_FORMS = [...FORMS, ...COMPLAINT_FORMS].flatMap(({ id, samples }) =>
  samples.map((name) => ({ id, name })),
);

describe('a form', () => {
  it.each(OF_FORMS)('$id is that of its sample $name, the whole table in force', ({ id, name }) => {
    expect(formOf(read(sample(name)))).toBe(id);
  });

  it('has a sample, and each sample has one form', () => {
    const named = [...OF_FORMS.map(({ name }) => name), ...WITHOUT_FORM, ...STANDARD];
    expect(named.toSorted()).toEqual([...SAMPLES.keys()].toSorted());
  });

  const good = { id: 'good', writer: 'anybody', when: [{ text: 'no way' }], samples: ['qmail'] };

  it('is accepted when it is complete', () => expect(Form.safeParse(good).error).toBeUndefined());

  it.each([
    ['with no condition', { when: [{}] }],
    ['with a pattern without an end', { when: [{ text: 'no.*way' }] }],
    ['with a header in capitals', { when: [{ header: 'X-Failed' }] }],
    ['with what a header says, but no header', { when: [{ says: 'yes' }] }],
    ['with an unknown way to its reason', { reason: ['guess'] }],
    ['without a sample', { samples: [] }],
    ['with a typing error', { recipentAfter: ['x'] }],
  ])('is not accepted %s', (_what, change) => {
    expect(Form.safeParse({ ...good, ...change }).success).toBe(false);
  });
});

/** Textual bounces, and standard reports, forwarded by people: counter-samples of each form. */
describe.each(FORMS.flatMap(({ samples }) => samples))('the sample %s', (name) => {
  const bounce = sample(name).toString('latin1');
  const body = bounce.slice(bounce.indexOf('\r\n\r\n') + 4);
  const person = 'From: Ann <ann@mail.test>\r\nTo: news@shop.test\r\nSubject: Re: Your order\r\n';
  const attached = (head: string): string =>
    `${head}Content-Type: multipart/mixed; boundary="=_of-ann"\r\n\r\n--=_of-ann\r\n\r\nSee below.\r\n--=_of-ann\r\n` +
    `Content-Type: message/rfc822\r\n\r\n${bounce}\r\n--=_of-ann--\r\n`;

  it('is no bounce when a person quotes it', () => {
    const quoted = body.replaceAll('\r\n', '\r\n> ');
    expect(read(`${person}\r\nIs this real?\r\n\r\n> ${quoted}`).kind).toBe('unknown');
    expect(read(`${person}\r\nIs this real?\r\n\r\n-----Original Message-----\r\n${body}`).kind).toBe(
      'unknown',
    );
    expect(read(`${person}\r\nIs this real?\r\n\r\n${body}`).kind).toBe('unknown');
  });

  it('is no bounce when a person forwards it, and an auto-reply stays one around it', () => {
    expect(read(attached(person)).kind).toBe('unknown');
    expect(read(attached(`${person}Auto-Submitted: auto-replied\r\n`)).kind).toBe('auto-reply');
  });
});

describe('a row of auto-replies', () => {
  const fieldsOf = (field: string) => new ReadFields(readFields(field));

  it.each(AUTO_REPLIES)('$id fits its sample and leaves its counter-sample', ({ id, sample: fits, not }) => {
    expect(findAutoReply(fieldsOf(fits))).toBe(id);
    expect(findAutoReply(fieldsOf(not))).toBeUndefined();
  });

  it('of mass mail alone is none: people write to lists', () => {
    expect(findAutoReply(fieldsOf('Precedence: bulk\r\nSubject: Away from home'))).toBe('precedence-bulk');
    expect(findAutoReply(fieldsOf('Precedence: bulk\r\nSubject: Our news'))).toBeUndefined();
    expect(findAutoReply(fieldsOf('Subject: Away from home'))).toBeUndefined();
  });
});
