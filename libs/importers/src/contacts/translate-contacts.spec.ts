import { expect, it } from 'vitest';
import type { SourceName } from '../sources/sources.js';
import { translateContacts, type ForeignContacts } from './translate-contacts.js';

const given = (
  service: SourceName,
  objects: readonly Record<string, unknown>[],
  more: Partial<ForeignContacts> = {},
) => {
  const columns = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  const cell = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));
  const rows = objects.map((one) => columns.map((name) => cell(one[name])));
  return translateContacts({ service, columns, rows, confirmed: false, attributes: new Map(), ...more });
};

it('rows of another service become contacts, with lists and attributes out of the JSON in their cells', () => {
  const found = given('listmonk', [
    {
      ...{ uuid: 'u1', email: 'Ann@Mail.test', name: 'Ann Lee', status: 'enabled' },
      attribs: { city: 'Bonn', score: 7, tags: ['a'] },
      lists: [
        { name: 'News', subscription_status: 'confirmed' },
        { name: 'Other', subscription_status: 'unconfirmed' },
      ],
    },
    { uuid: 'u2', email: 'nonsense', name: '', status: 'enabled', attribs: {}, lists: [] },
    { uuid: 'u3', email: 'bob@mail.test', name: '', status: 'odd', attribs: {}, lists: [] },
  ]);
  expect(found).toMatchObject({
    forms: ['api'],
    contacts: [
      {
        position: 0,
        consent: 'subscribed',
        entry: {
          ...{ email: 'ann@mail.test', first_name: 'Ann', last_name: 'Lee' },
          attributes: { city: 'Bonn', score: 7, tags: '["a"]' },
        },
        lists: ['News'],
      },
    ],
    taken: { subscribed: 1 },
    errors: [
      { position: 1, email: 'nonsense', reason: 'email is not an email address' },
      { position: 2, email: 'bob@mail.test' },
    ],
  });
  expect([...found.attributes]).toEqual([
    ['city', 'string'],
    ['score', 'number'],
    ['tags', 'string'],
  ]);
});

it('rows of one address are one contact, and each reason not to write to it counts', () => {
  const { contacts, repeated, taken } = given('resend', [
    { email: 'ann@mail.test', first_name: 'Ann', unsubscribed: true },
    { email: 'ANN@mail.test', first_name: 'Anna', unsubscribed: false },
  ]);
  expect(contacts).toMatchObject([
    { consent: 'unsubscribed', entry: { first_name: 'Anna', unsubscribed: true }, lists: [] },
  ]);
  expect([repeated, taken.subscribed, taken.unsubscribed]).toEqual([1, 1, 1]);
});

it('a file without consent makes disabled contacts, unless a person says that they agreed', () => {
  const rows = [{ email: 'ann@mail.test', first_name: 'Ann', last_name: 'Lee' }];
  expect(given('sendgrid', rows)).toMatchObject({
    mayBeConfirmed: true,
    contacts: [{ consent: 'unconfirmed', entry: { status: 'disabled' } }],
  });
  const { contacts } = given('sendgrid', rows, { confirmed: true });
  expect(contacts).toMatchObject([{ consent: 'subscribed' }]);
  expect(contacts[0]?.entry).not.toHaveProperty('status');
});

it('attributes have the types that are defined, and may be left out', () => {
  const rows = [{ email: 'ann@mail.test', unsubscribed: false, plan: '7' }];
  const defined = given('resend', rows, { attributes: new Map([['plan', 'number']]) });
  expect(defined.contacts[0]?.entry.attributes).toEqual({ plan: 7 });
  const without = given('resend', rows, { attributes: undefined });
  expect(without.contacts[0]?.entry).not.toHaveProperty('attributes');
  expect(without.attributes.size).toBe(0);
});

it('a service without contacts says so', () => {
  expect(() => given('postmark', [{ email: 'ann@mail.test' }])).toThrow(/contacts/i);
});
