import { describe, expect, it } from 'vitest';
import { changeRoute, newRoute } from './route-change.rules.js';

const NOW = newRoute({ name: 'R', url: 'https://shop.test/in', recipient: 'a@d.test' });
const OFF = { ...NOW, enabled: false };

it('a new route is enabled and has no flags', () => {
  expect(NOW).toEqual({
    name: 'R',
    url: 'https://shop.test/in',
    recipient: 'a@d.test',
    recipient_domain: 'd.test',
    attachments: false,
    headers: false,
    group_by_message_id: false,
    strip_replies: false,
    enabled: true,
  });
});

describe('a change', () => {
  const none = { changesRecipient: false, neededDomain: null };
  it.each([
    ['of nothing', NOW, {}, { ...none, changes: false }],
    ['to null', NOW, { name: null, recipient: null, enabled: null }, { ...none, changes: false }],
    ['to what is there', NOW, { name: 'R', headers: false }, { ...none, changes: false }],
    ['of a flag', NOW, { headers: true }, { ...none, changes: true }],
    ['to the same recipient asks for its domain', NOW, { recipient: 'a@D.test' }, { neededDomain: 'd.test' }],
    [
      'to another recipient',
      NOW,
      { recipient: 'b@e.test' },
      { changesRecipient: true, neededDomain: 'e.test', changes: true },
    ],
    [
      'to every address',
      NOW,
      { recipient: '' },
      { changesRecipient: true, neededDomain: null, changes: true },
    ],
    ['that disables', NOW, { enabled: false }, { ...none, changes: true }],
    ['that enables asks for its domain', OFF, { enabled: true }, { neededDomain: 'd.test', changes: true }],
    ['of a disabled one', OFF, { name: 'S' }, { ...none, changes: true }],
  ])('%s', (_, now, body, change) => expect(changeRoute(now, body)).toMatchObject(change));
});
