import { describe, expect, it } from 'vitest';
import { authorise, readMessageFilters } from './message-filters.rules.js';

const refused = (message: string, status = 400) => expect.objectContaining({ status, message });

describe('filters of a list of messages (spec 2-messages §2.1)', () => {
  it('are none without parameters', () => {
    expect(Object.values(readMessageFilters({})).every((value) => value === undefined)).toBe(true);
    expect(readMessageFilters({ status: ' , ', tags: ',', sender: ' ', recipient: '' })).toEqual(
      readMessageFilters({}),
    );
  });

  it.each([
    ['Delivered', ['Delivered', 'Opened', 'Clicked']],
    ['Opened', ['Opened', 'Clicked']],
    ['Clicked,Opened', ['Clicked', 'Opened']],
    ['Sandbox Delivered, Bounced', ['Sandbox Delivered', 'Bounced']],
  ])('status %s', (status, statuses) => {
    expect(readMessageFilters({ status }).statuses).toEqual(statuses);
  });

  it('are normalised', () => {
    expect(
      readMessageFilters({
        sender: ' News@Shop.TEST ',
        recipient: 'Nobody',
        subject: 'ÜBER',
        message_id_header: ' a@b ',
        tags: 'A, a,A',
        from_time: '2026-01-05T10:00:00+02:00',
      }),
    ).toMatchObject({
      sender: 'news@shop.test',
      recipient: 'nobody',
      subject: 'über',
      messageIdHeader: '<a@b>',
      tags: ['A', 'a'],
      from: new Date('2026-01-05T08:00:00Z'),
    });
    expect(readMessageFilters({ message_id_header: '<a@b>' }).messageIdHeader).toBe('<a@b>');
    expect(readMessageFilters({ subject: 'a\0b' }).subject).toBe('a\uffffb');
  });

  it('are refused in the order of the contract', () => {
    const tags = Array.from({ length: 21 }, (_, nth) => `t${nth}`).join();
    expect(() => readMessageFilters({ status: 'x', tags })).toThrow(
      /^invalid status 'x' \(one of Received, .*Delivered, .*\)$/,
    );
    expect(() => readMessageFilters({ tags, from_time: 'x' })).toThrow(
      refused('tags must have at most 20 items'),
    );
    expect(() => readMessageFilters({ from_time: 'x', to_time: 'y' })).toThrow(
      refused('invalid from_time, provide a valid RFC3339 time string'),
    );
  });
});

describe('the messages that a key may list', () => {
  const scopes = ['messages:read:{a.test}', 'messages:read:{b.test}'];

  it('are all, or those of its domains', () => {
    expect(authorise({ scopes: ['messages:read:all'] }, {}).domains).toBeUndefined();
    expect(authorise({ scopes: ['*'] }, { sender: 'x@c.test' })).toMatchObject({ sender: 'x@c.test' });
    expect(authorise({ scopes }, {}).domains).toEqual(['a.test', 'b.test']);
  });

  it('include no sender of another domain', () => {
    expect(authorise({ scopes }, { sender: 'x@a.test' }).domains).toEqual(['a.test', 'b.test']);
    expect(() => authorise({ scopes }, { sender: 'x@c.test' })).toThrow(
      refused('sender domain not found in api key scopes', 403),
    );
  });
});
