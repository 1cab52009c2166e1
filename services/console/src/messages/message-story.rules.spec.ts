import { expect, it } from 'vitest';
import type { Schemas } from '../api/client';
import type { Delivery } from '../webhooks/delivery-state';
import { t } from '../words/words';
import { meaningOf, storyOf, toneOf, waitOf, type MessageAttempts } from './message-story.rules';

type Message = Schemas['MessageSummary'];

const ACCEPTED = '2026-11-27T08:00:00.000Z';
const at = (time: string) => `2026-11-27T${time}.000Z`;
const message = (fields: Partial<Message>): Message => ({
  ...({ direction: 'outbound', created_at: ACCEPTED, updated_at: ACCEPTED, sent_at: null } as Message),
  ...{ delivered_at: null, delivery_attempts: [], status: 'Received', num_attempts: 0 },
  ...fields,
});
const deferral = (time: string, log: string) => ({ time: at(time), log, status: 'TransientFailure' });

const waiting = (wait: MessageAttempts['wait']): MessageAttempts => ({
  object: 'message_attempts',
  wait,
  data: [],
});
const NOW = { now: Date.parse(at('08:00:20')) };

it('a deferred message waits for its next try, and for a day at most', () => {
  const attempts = [
    deferral('08:00:10', '451 4.7.1 greylisted'),
    deferral('08:05:10', '452 4.2.2 mailbox full'),
  ];
  const wait = waitOf(
    message({ status: 'Deferred', sent_at: at('08:00:09'), delivery_attempts: attempts }),
    waiting({ cause: 'retry', reason: null, until: at('08:20:10') }),
    NOW,
  );
  expect(wait).toEqual({
    why: t.replies['2.2'],
    next: new Date(at('08:20:10')),
    until: new Date('2026-11-28T08:00:09.000Z'),
  });
});

it.each([
  ['provider', 'Google slowed down us', t.story.waits.provider, true],
  ['domain', 'sending from the domain shop.test is paused', t.story.waits.domain, true],
  ['account', 'the account is suspended', t.story.waits.account, false],
  ['warm_up', null, t.story.waits.warm_up, true],
  ['way', null, t.story.waits.way, true],
  ['busy', null, t.story.waits.busy, false],
  ['in_flight', null, t.story.waits.in_flight, false],
  ['turn', null, t.story.queued, false],
] as const)('a message that waits for %s says so', (cause, reason, why, isTimed) => {
  const until = at('09:00:00');
  expect(waitOf(message({}), waiting({ cause, reason, until }), NOW)).toEqual({
    why,
    ...(reason === null ? {} : { said: reason }),
    ...(isTimed ? { next: new Date(until) } : {}),
  });
});

it('the calls of webhooks are in the order of time, with their state and the last answer', () => {
  const call = {
    ...({ object: 'endpoint_delivery', endpoint_id: 'shop', target: 'webhook' } as Delivery),
    ...{ webhook_message_id: 'msg_1', next_attempt_at: null, replay_of: null, recovered_at: null },
  };
  const failed: Delivery = {
    ...{ ...call, id: 'bad', event_type: 'message.transient_error', created_at: at('08:00:12') },
    ...({ state: 'dropped', attempts: 6, status: 503, reason: 'status 503' } as const),
  };
  const good: Delivery = {
    ...{ ...call, id: 'good', event_type: 'message.delivered', created_at: at('08:05:11') },
    ...({ state: 'succeeded', attempts: 1, status: 200, reason: null } as const),
  };
  const attempts = [
    deferral('08:00:10', '451 4.7.1 greylisted'),
    { time: at('08:05:10'), log: '250 OK', status: 'Delivery' },
  ];
  const story = storyOf(message({ delivery_attempts: attempts }), [], [good, failed]);
  expect(story.map(({ title }) => title)).toEqual([
    t.story.accepted,
    t.story.attempts.TransientFailure,
    'Webhook: message.transient_error',
    t.story.attempts.Delivery,
    'Webhook: message.delivered',
  ]);
  expect(story[2]).toMatchObject({
    tone: 'bad',
    call: { id: 'bad', endpoint_id: 'shop' },
    facts: [
      [t.deliveries.state, t.deliveries.states.dropped],
      [t.deliveries.answer, 'status 503'],
      [t.deliveries.tries, '6'],
    ],
  });
  expect(storyOf(message({}), [], [{ ...failed, recovered_at: at('09:00:00') }])[1]?.tone).toBe('good');
});

it('a message of a paused domain waits for its owner', () => {
  const domain = { paused: true, dns_valid: true, pause_reason: 'bounce rate' };
  const wait = waiting({ cause: 'turn', reason: null, until: null });
  expect(waitOf(message({}), wait, { ...NOW, domain })?.why).toBe(t.story.domainPaused('bounce rate'));
});

it.each(['Delivered', 'Bounced', 'Failed', 'Canceled', 'Suppressed', 'Sandbox Delivered'] as const)(
  'a message that is %s waits for nothing',
  (status) => {
    const wait = waiting({ cause: 'turn', reason: null, until: null });
    expect(waitOf(message({ status }), wait, NOW)).toBeUndefined();
  },
);

it('an attempt has its server, its encryption and its class, where it is the same one', () => {
  const attempts = [
    deferral('08:00:10', '451 later'),
    { time: at('08:05:10'), log: '550 5.1.1 no such user', status: 'Bounce' },
  ];
  const about = (more: Partial<MessageAttempts['data'][number]>): MessageAttempts['data'][number] => ({
    ...{ started_at: null, finished_at: at('08:00:10'), status: 'TransientFailure', log: '451 later' },
    ...{ classification: null, host: 'mx.b.test', address: null, tls: null, uncertain: false },
    ...{ next_attempt_at: null, check: null },
    ...more,
  });
  const tls = {
    encrypted: true,
    protocol: 'TLSv1.3',
    cipher: 'AES',
    verdict: 'pkix',
    policy: 'sts',
  } as const;
  const clear = { encrypted: false, protocol: null, cipher: null, verdict: 'clear', policy: 'none' } as const;
  const steps = storyOf(message({ status: 'Bounced', delivery_attempts: attempts }), [
    about({ tls: clear }),
    about({
      finished_at: at('08:05:10'),
      address: '192.0.2.25',
      tls,
      classification: 'InvalidRecipient',
      check: 'spf',
    }),
  ]);
  expect(steps.slice(1).map(({ check }) => check)).toEqual([undefined, 'spf']);
  expect(steps.slice(1).map(({ facts }) => facts)).toEqual([
    [
      [t.story.host, 'mx.b.test'],
      [t.story.tls, t.story.noTls],
    ],
    [
      [t.story.host, 'mx.b.test (192.0.2.25)'],
      [t.story.tls, `TLSv1.3 AES, ${t.story.tlsVerdicts.pkix}, ${t.story.tlsPolicies.sts}`],
      [t.message.class, `InvalidRecipient: ${t.story.classes.InvalidRecipient}`],
    ],
  ]);
  const late = storyOf(message({ delivery_attempts: attempts }), [about({ finished_at: at('09:00:00') })]);
  expect(late[1]?.facts).toBeUndefined();
});

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
