import { describe, expect, it } from 'vitest';
import { DeliveryAttempted } from '@postmesh/delivery-worker-contract';
import { deliveryAttempts, firstKnown, foldOutcomes } from './delivery-outcomes.rules.js';

const example = DeliveryAttempted.examples[0];
if (!example) throw new Error('the event has no example');

function event(change: Partial<typeof example>) {
  return DeliveryAttempted.make({ ...(example as typeof example & object), ...change }, { account_id: null });
}

const deferred = event({
  outcome: 'deferred',
  attempt: 1,
  first_attempt_at: '2026-01-05T08:00:00.000Z',
  reply: {
    smtp_code: 451,
    enhanced_status_code: '4.7.1',
    response: 'later',
    classification: 'PolicyRelated',
  },
});

describe('delivery outcomes', () => {
  it('fold a deferral and a delivery of one message into a delivery with two attempts', () => {
    const delivered = event({ outcome: 'delivered', attempt: 2, finished_at: '2026-01-05T08:05:00.000Z' });
    expect(foldOutcomes([deferred, delivered])).toEqual([
      {
        messageId: example.message_id,
        outcome: 'delivered',
        status: 'Delivered',
        attempts: 2,
        sentAt: '2026-01-05T08:00:00.000Z',
        deliveredAt: '2026-01-05T08:05:00.000Z',
        classification: '',
        at: '2026-01-05T08:05:00.000Z',
      },
    ]);
  });

  it('keep the classification of the last failure', () => {
    expect(foldOutcomes([deferred])[0]).toMatchObject({
      status: 'Deferred',
      classification: 'PolicyRelated',
    });
    const failed = event({ outcome: 'failed', reply: null });
    expect(foldOutcomes([deferred, failed])[0]).toMatchObject({
      status: 'Failed',
      classification: 'MessageExpired',
    });
  });

  it('have the class MessageExpired for an expired message, with any last reply', () => {
    const reply = { smtp_code: 452, response: 'mailbox full', classification: 'QuotaIssues' };
    const failed = event({ outcome: 'failed', reply, classification: 'MessageExpired', give_up: 'attempts' });
    expect(foldOutcomes([deferred, failed])[0]).toMatchObject({
      status: 'Failed',
      classification: 'MessageExpired',
    });
    const unmade = event({ outcome: 'failed', reply, classification: 'Uncategorized' });
    expect(foldOutcomes([unmade])[0]).toMatchObject({ classification: 'Uncategorized' });
  });

  it('have the reply of the remote, and a note when it was lost', () => {
    expect(deliveryAttempts([deferred])[0]).toMatchObject({
      status: 'TransientFailure',
      log: '451 4.7.1 later',
    });
    const lost = event({
      outcome: 'deferred',
      uncertain: true,
      reply: { smtp_code: 0, response: 'connection lost' },
    });
    expect(deliveryAttempts([lost])[0]?.log).toMatch(/^connection lost \(the reply .* may arrive twice\)$/);
  });

  it('have a note that the outcome is unknown, until it is known', () => {
    const unknown = event({
      outcome: 'deferred',
      uncertain: true,
      started_at: null,
      reply: { smtp_code: 0, response: 'the worker stopped in the middle of the attempt' },
    });
    const delivered = event({ outcome: 'delivered' });
    const [first, last] = deliveryAttempts([unknown, delivered]);
    expect(first?.log).toMatch(/^the worker stopped .* \(it may have arrived\)$/);
    expect(firstKnown([first!, last!])).toEqual([last]);
    expect(firstKnown([last!, first!])).toEqual([last]);
    expect(firstKnown([last!, { ...last!, status: 'later' }])).toEqual([last]);
  });

  it('end with an entry of its own when the window is over', () => {
    expect(deliveryAttempts([event({ outcome: 'failed', reply: null })])[0]).toMatchObject({
      status: 'Expiration',
      position: 1_000,
    });
  });
});
