import { expect, it } from 'vitest';
import { filterOfText, queryOf, readMessageFilters } from './message-filters.rules';

it('reads known filters from an address, and nothing else', () => {
  expect(
    readMessageFilters({ status: 'Bounced', recipient: ' ', subject: ' order ', page: '3', tags: 7 }),
  ).toEqual({
    status: 'Bounced',
    subject: 'order',
  });
});

it('asks for a period to the minute', () => {
  const now = Date.parse('2026-11-27T10:00:31Z');
  expect(queryOf({ status: 'Bounced', hours: '24' }, now)).toEqual({
    status: 'Bounced',
    from_time: '2026-11-26T10:00:00.000Z',
  });
  expect(queryOf({ hours: 'all' }, now)).toEqual({});
});

it('takes an address for a recipient, a piece of one for a part of an address, other text for the subject', () => {
  expect(filterOfText('ann@')).toEqual({ address: 'ann@' });
  expect(filterOfText('@corp.test ')).toEqual({ address: '@corp.test' });
  expect(filterOfText('meet @ noon')).toEqual({ subject: 'meet @ noon' });
  expect(filterOfText(' ann@mail.test ')).toEqual({ recipient: 'ann@mail.test' });
  expect(filterOfText('tag: welcome ')).toEqual({ tags: 'welcome' });
  expect(filterOfText('From:shop@mail.test')).toEqual({ sender: 'shop@mail.test' });
  expect(filterOfText('tag:')).toEqual({ subject: 'tag:' });
  expect(filterOfText('your order')).toEqual({ subject: 'your order' });
});
