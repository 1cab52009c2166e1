import { expect, it } from 'vitest';
import type { Schemas } from '../api/client';
import { t } from '../words/words';
import { meaningOf, storyOf, toneOf, waitOf } from './message-story.rules';

type Message = Schemas['MessageSummary'];

const ACCEPTED = '2026-11-27T08:00:00.000Z';
const at = (time: string) => `2026-11-27T${time}.000Z`;
const message = (fields: Partial<Message>): Message => ({
  ...({ direction: 'outbound', created_at: ACCEPTED, updated_at: ACCEPTED, sent_at: null } as Message),
  ...{ delivered_at: null, delivery_attempts: [], status: 'Received', num_attempts: 0 },
  ...fields,
});
const deferral = (time: string, log: string) => ({ time: at(time), log, status: 'TransientFailure' });

it('a deferred message waits for its next try, between two times, and for a day at most', () => {
  const attempts = [
    deferral('08:00:10', '451 4.7.1 greylisted'),
    deferral('08:05:10', '452 4.2.2 mailbox full'),
  ];
  const wait = waitOf(
    message({ status: 'Deferred', sent_at: at('08:00:09'), delivery_attempts: attempts }),
    Date.parse(at('08:06:00')),
  );
  expect(wait).toEqual({
    why: t.replies['2.2'],
    next: [new Date(at('08:18:40')), new Date(at('08:21:40'))],
    until: new Date('2026-11-28T08:00:09.000Z'),
  });
});

it('a message of a paused domain waits for its owner', () => {
  const domain = { paused: true, dns_valid: true, pause_reason: 'bounce rate' };
  expect(waitOf(message({}), Date.parse(at('09:00:00')), domain)?.why).toBe(
    t.story.domainPaused('bounce rate'),
  );
});

it.each(['Delivered', 'Bounced', 'Failed', 'Canceled', 'Suppressed', 'Sandbox Delivered'] as const)(
  'a message that is %s waits for nothing',
  (status) => expect(waitOf(message({ status }), Date.now())).toBeUndefined(),
);

it('tells what happened in order, with the words of the server', () => {
  const steps = storyOf(
    message({
      status: 'Bounced',
      delivery_attempts: [{ time: at('08:00:10'), log: '550 5.1.1 no such user', status: 'Bounce' }],
    }),
  );
  expect(steps.map(({ title, tone, said }) => [title, tone, said])).toEqual([
    [t.story.accepted, 'plain', undefined],
    [t.story.attempts.Bounce, 'bad', '550 5.1.1 no such user'],
  ]);
  expect(steps[1]?.meaning).toBe(t.replies['1.1']);
});

it('reads a reply by its enhanced code, else by its code, else by what is known of the connection', () => {
  const meaning = (log: string) => meaningOf({ log, status: 'TransientFailure', time: ACCEPTED });
  expect(meaning('550 5.7.26 not authenticated')).toBe(t.replies['7.26']);
  expect(meaning('421 too many connections')).toBe(t.replies.busy);
  expect(meaning('550 go away')).toBe(t.replies.refused);
  expect(meaning('connect timed out')).toBe(t.replies['4.1']);
  expect(meaning('')).toBeUndefined();
});

it('a status of the sandbox has the colour of the real one', () => {
  expect(toneOf('Sandbox Bounced')).toBe(toneOf('Bounced'));
});
