import { describe, expect, it } from 'vitest';
import { parseEmailAddress } from '@postmesh/mail-format';
import type { Recipient } from './recipients.rules.js';
import { readHeaders } from './shared-fields.rules.js';
import {
  canBeRendered,
  chooseSubject,
  requireBody,
  requireDefaults,
  requireDefaultSender,
  requireVariables,
  reservedValues,
  usesUnsubscribeLink,
  withUnsubscribeHeaders,
} from './template-send.rules.js';

const SENDER = { email: 'news@shop.test', name: 'Shop' };
const HELP = { email: 'help@shop.test', name: '' };
const headers = (given: Record<string, string> = {}) =>
  readHeaders(given, { controlPrefixes: ['postmesh', 'X-Old'], hasReplyTo: false });

describe('the defaults of a template', () => {
  const template = { from: SENDER, replyTo: HELP };

  it.each([
    ['both', {}, {}, { from: SENDER, replyTo: HELP }],
    [
      'no sender, with one in the request',
      { from: { email: 'a@b.test' } },
      {},
      { from: null, replyTo: HELP },
    ],
    ['no reply-to beside one', { reply_to: { email: 'a@b.test' } }, {}, { from: SENDER, replyTo: null }],
    ['no reply-to beside a header', {}, { 'REPLY-TO': 'a@b.test' }, { from: SENDER, replyTo: null }],
  ])('%s', (_what, input, given, expected) =>
    expect(requireDefaults(template, input, headers(given))).toEqual(expected),
  );

  it.each([
    { from: { email: 'nobody', name: '' } },
    { from: { email: 'jürgen@shop.test', name: '' } },
    { from: { ...SENDER, name: 'a\r\nb' } },
    { replyTo: { email: '', name: '' } },
  ])('not %j', (change) =>
    expect(() => requireDefaults({ ...template, ...change }, {}, headers())).toThrow(/is not valid/),
  );

  it('none at all', () => {
    const none = requireDefaults({ from: null, replyTo: null }, {}, headers());
    expect(() => requireDefaultSender(none)).toThrow(
      'from is required because the template has no default sender',
    );
  });
});

describe('the design', () => {
  it('has a body that can be rendered', () => {
    expect(() => requireBody({ html: undefined, text: undefined, preheader: 'x' })).toThrow(
      /no published content/,
    );
    expect(() => requireBody({ html: undefined, text: 'x', preheader: '' })).not.toThrow();
    expect(canBeRendered({ html: '{{ a }}', text: undefined, preheader: '' })).toBe(true);
    expect(canBeRendered({ html: 'a', text: '{% if', preheader: '' })).toBe(false);
    expect(canBeRendered({ html: 'a', text: 'b', preheader: '{#' })).toBe(false);
  });

  it.each([
    [undefined, 'Published'],
    [null, 'Published'],
    [' \t', 'Published'],
    [' Own ', ' Own '],
  ])('with the subject %j of the request has %j', (given, subject) =>
    expect(chooseSubject(given, { subject: 'Published' })).toBe(subject),
  );

  it('without a subject from either is refused, as is a subject of several lines', () => {
    expect(() => chooseSubject('', { subject: ' ' })).toThrow(/the template has no subject/);
    expect(() => chooseSubject('a\nb', { subject: 'x' })).toThrow(/line break/);
  });
});

describe('variables', () => {
  const variables = [
    { name: 'a', required: true },
    { name: 'b', required: false },
    { name: 'constructor', required: true },
  ];
  const recipient = (email: string, substitutions?: Record<string, unknown> | null): Recipient => {
    const parsed = parseEmailAddress(email);
    if (!parsed.ok) throw new Error(email);
    return { given: { email, substitutions }, address: parsed.address, name: '' };
  };

  it('are given by a key that is not null', () => {
    const values = { a: '', constructor: 0 };
    expect(() => requireVariables({ variables }, [recipient('x@y.test', values)])).not.toThrow();
  });

  it('that are missing are named by recipient, in request order', () => {
    const recipients = [
      recipient('One@y.test', { a: null, constructor: 1 }),
      recipient('two@y.test', { a: 1, constructor: false }),
      recipient('three@y.test', null),
    ];
    expect(() => requireVariables({ variables }, recipients)).toThrow(
      'missing required template variables: one@y.test needs a; three@y.test needs a, constructor',
    );
  });
});

it('an error for very many missing variables has a bounded length', () => {
  const many = Array.from({ length: 50_000 }, (_, nth) => ({ name: `variable_${nth}`, required: true }));
  const parsed = parseEmailAddress('a@b.test');
  const one = {
    given: { email: 'a@b.test' },
    address: (parsed as { address: Recipient['address'] }).address,
  };
  const check = () => requireVariables({ variables: many }, Array<Recipient>(100).fill({ ...one, name: '' }));
  expect(check).toThrow(/^missing required template variables: a@b\.test needs variable_0, .{1,20000}…$/);
});

describe('the unsubscribe link', () => {
  it('is used by a design that names it', () => {
    expect(usesUnsubscribeLink({ variables: [{ name: 'unsubscribe_url', required: false }] })).toBe(true);
    expect(usesUnsubscribeLink({ variables: [{ name: 'unsubscribe', required: true }] })).toBe(false);
  });

  it('replaces the headers of the request', () => {
    const given = ['List-Unsubscribe', 'LIST-UNSUBSCRIBE-POST', 'List-Unsubscribe-Note', 'X'];
    const fields = withUnsubscribeHeaders(given.map((name) => ({ name, value: 'mine' })));
    expect(fields.map(({ name, value }) => `${name}: ${value}`)).toEqual([
      'List-Unsubscribe-Note: mine',
      'X: mine',
      'List-Unsubscribe: <{{ unsubscribe_url }}>',
      'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    ]);
    expect(reservedValues('a@b.test', '')).toEqual({
      email: 'a@b.test',
      unsubscribe_url: '',
      view_browser_url: '',
    });
  });
});
