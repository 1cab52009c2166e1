import { expect, it } from 'vitest';
import type { ForeignRows } from '../read/foreign-rows.js';
import { translateSuppressions } from './translate-suppressions.js';

const BOUNCES: ForeignRows = {
  service: 'sendgrid',
  form: undefined,
  columns: ['email', 'created', 'reason', 'status'],
  rows: [
    ['Ann@Mail.test', '1700000000', '550 unknown user', '5.1.1'],
    ['nonsense', '1700000000', '', ''],
  ],
};

it('rows of another service become entries, with their cause and date', () => {
  expect(translateSuppressions(BOUNCES)).toEqual({
    forms: ['bounces'],
    entries: [
      {
        position: 0,
        email: 'ann@mail.test',
        reason: 'Bounced at SendGrid: 550 unknown user',
        created_at: '2023-11-14T22:13:20.000Z',
      },
    ],
    errors: [{ position: 1, reason: 'email is not an email address' }],
  });
});

it('columns that fit several files need the name of one', () => {
  const given = { ...BOUNCES, columns: ['email', 'created'], rows: [['ann@mail.test', '1700000000']] };
  expect(translateSuppressions(given)).toEqual({
    forms: ['spam_reports', 'unsubscribes'],
    entries: [],
    errors: [],
  });
  const named = translateSuppressions({ ...given, form: 'spam_reports' });
  expect(named.entries).toMatchObject([{ reason: 'FBL Complaint Report' }]);
});

it('a field within a field is read out of its JSON', () => {
  const given: ForeignRows = {
    service: 'brevo',
    form: undefined,
    columns: ['email', 'blockedAt', 'reason'],
    rows: [['ann@mail.test', '2024-05-06T07:08:09Z', '{"code":"hardBounce","message":"gone"}']],
  };
  expect(translateSuppressions(given).entries).toMatchObject([{ position: 0, email: 'ann@mail.test' }]);
});

it.each([
  ['a list of something else', { columns: ['name'], rows: [['Ann']] }, /^the file has the columns name/],
  ['another form than is named', { form: 'contacts' }, /^--as is one of bounces/],
] as const)('%s is refused', (_what, more, message) => {
  expect(() => translateSuppressions({ ...BOUNCES, ...more } as ForeignRows)).toThrow(message);
});
