import { describe, expect, it } from 'vitest';
import {
  type CustomHeaderRules,
  headerValueProblem,
  readControls,
  sortCustomHeaders,
} from './custom-headers.rules.js';

const RULES: CustomHeaderRules = {
  controlPrefixes: ['postmesh', 'X-Old'],
  clashes: new Map([['reply-to', 'reply_to and the reply-to header exclude each other']]),
};
const sort = (fields: [string, string][], rules = RULES) =>
  sortCustomHeaders(
    fields.map(([name, value]) => ({ name, value })),
    rules,
  );

describe('custom headers of a send', () => {
  it('pass with the letter case of their names and in their order, repeated ones too', () => {
    expect(
      sort([
        ['X-Custom', '1'],
        ['LIST-Help', '<https://x.test>'],
        ['x-custom', '2'],
        ['Date', 'Mon, 05 Jan 2026 08:00:00 +0000'],
        ['In-Reply-To', '<a@x.test>'],
      ]),
    ).toMatchObject({
      ok: true,
      passed: [
        { name: 'X-Custom', value: '1' },
        { name: 'LIST-Help' },
        { name: 'x-custom', value: '2' },
        { name: 'Date' },
        { name: 'In-Reply-To' },
      ],
    });
  });

  it.each([
    'Message-ID',
    'message-id',
    'From',
    'TO',
    'Bcc',
    'Subject',
    'Sender',
    'Return-Path',
    'Received',
    'DKIM-Signature',
    'ARC-Seal',
    'arc-message-signature',
    'MIME-Version',
    'Content-Type',
    'Content-Transfer-Encoding',
    'Resent-From',
    'Authentication-Results',
    'Feedback-ID',
    'CFBL-Address',
  ])('%s is ignored', (name) =>
    expect(sort([[name, 'v']])).toEqual({ ok: true, passed: [], control: new Map() }),
  );

  it('drop the names that the caller gives', () => {
    expect(sort([['CC', 'a@x.test']], { ...RULES, drop: ['cc', 'bcc'] })).toMatchObject({
      ok: true,
      passed: [],
    });
    expect(sort([['CC', 'a@x.test']])).toMatchObject({ ok: true, passed: [{ name: 'CC' }] });
  });

  it('separate control headers, in any letter case', () => {
    expect(
      sort([
        ['PostMesh-Sandbox', ' true '],
        ['postmesh-unknown', 'x'],
        ['postmeshX', 'y'],
      ]),
    ).toEqual({
      ok: true,
      passed: [{ name: 'postmeshX', value: 'y' }],
      control: new Map([
        ['sandbox', { name: 'PostMesh-Sandbox', value: ' true ' }],
        ['unknown', { name: 'postmesh-unknown', value: 'x' }],
      ]),
    });
  });

  it.each([
    [[['', 'v']], "invalid header name ''"],
    [[['a b', 'v']], "invalid header name 'a b'"],
    [[['a:b', 'v']], "invalid header name 'a:b'"],
    [[['a\r\nb', 'v']], "invalid header name 'a\r\nb'"],
    [[['Größe', 'v']], "invalid header name 'Größe'"],
    [[['REPLY-TO', 'a@x.test']], 'reply_to and the reply-to header exclude each other'],
    [
      [
        ['Reply-to', 'a@x.test'],
        ['reply-TO', 'b@x.test'],
      ],
      'reply_to and the reply-to header exclude each other',
    ],
    ...['Date', 'In-Reply-To', 'List-Unsubscribe', 'References', 'Cc', 'Auto-Submitted'].map((name) => [
      [
        [name, 'a'],
        ['X-A', '1'],
        ['X-A', '2'],
        [name.toUpperCase(), 'a'],
      ],
      `header '${name.toLowerCase()}' must not be given more than once`,
    ]),
    [Array.from({ length: 51 }, (): [string, string] => ['X', 'v']), 'at most 50 headers are allowed'],
  ] as [[string, string][], string][])('%j are refused', (fields, message) => {
    expect(sort(fields)).toEqual({ ok: false, message });
  });
});

describe('values of custom headers', () => {
  it.each([
    ['X-A', 'a\r\nBcc: x', "header 'X-A' must not contain a line break or NUL"],
    ['X-A', 'a\u0000', "header 'X-A' must not contain a line break or NUL"],
    ['From', 'a\nb', "header 'From' must not contain a line break or NUL"],
    ['X-A', 'a'.repeat(8_190), "header 'X-A' is longer than 8192 bytes"],
    ['References', 'é', "header 'References' must be message ids in ASCII, such as <1@shop.test>"],
    ['Reply-To', 'junk', /^header 'Reply-To' must be a list of email addresses, such as /],
    ['Cc', 'jürgen@x.test', /^header 'Cc' must not have an address beyond ASCII/],
    ['date', 'yesterday', /^header 'date' must be a date and time, such as /],
    ['X-A', 'a'.repeat(8_189), undefined],
    ['X-A', 'é', undefined],
  ])('%s: %j', (name, value, problem) =>
    expect(
      headerValueProblem([
        { name: 'X-Good', value: 'v' },
        { name, value },
      ]),
    ).toEqual(problem instanceof RegExp ? expect.stringMatching(problem) : problem),
  );

  it('are not judged by their structure while they are dropped, or still to be rendered', () => {
    const fields = [{ name: 'Reply-To', value: 'Visitor <{{ v }}>' }];
    expect(headerValueProblem(fields, () => false)).toBeUndefined();
    expect(headerValueProblem([{ name: 'Reply-To', value: 'a\n' }], () => false)).toMatch(/line break/);
  });
});

describe('control headers', () => {
  const read = (...entries: [string, string][]) =>
    readControls(new Map(entries.map(([name, value]) => [name, { name, value }])));

  it('have the requested settings', () => {
    expect(
      read(
        ['track-opens', 'true'],
        ['track-clicks', 'false'],
        ['sandbox', '1'],
        ['sandbox-result', 'bounce'],
        ['metadata-retention', '30'],
        ['data-retention', '0'],
        ['tags', ' a , b,a,,'],
      ),
    ).toEqual({
      invalid: [],
      controls: {
        trackOpens: true,
        trackClicks: false,
        sandbox: true,
        sandboxResult: 'bounce',
        metadataRetentionDays: 30,
        dataRetentionDays: 0,
        tags: ['a', 'b'],
      },
    });
  });

  it.each([
    ['track-opens', 'yes'],
    ['sandbox', 'false'],
    ['sandbox-result', 'explode'],
    ['metadata-retention', '0'],
    ['metadata-retention', '31'],
    ['data-retention', '-1'],
    ['tags', 'x'.repeat(65)],
    ['tags', 'a,b,c,d,e,f,g,h,i,j,k'],
  ])('%s: %s is invalid', (name, value) => {
    expect(read([name, value])).toEqual({ controls: {}, invalid: [name] });
  });

  it('have any of the prefixes', () => {
    const sorted = sortCustomHeaders(
      [
        { name: 'Postmesh-Track-Opens', value: 'true' },
        { name: 'X-OLD-Sandbox', value: '1' },
        { name: 'X-Olden', value: 'passes' },
      ],
      RULES,
    );
    if (!sorted.ok) throw new Error(sorted.message);
    expect([...sorted.control.keys()]).toEqual(['track-opens', 'sandbox']);
    expect(sorted.passed.map(({ name }) => name)).toEqual(['X-Olden']);
  });

  it('of unknown names are neither used nor invalid', () => {
    expect(read(['constructor', 'x'], ['new-thing', 'y'])).toEqual({ controls: {}, invalid: [] });
  });
});
