import { EventEnvelope, newId, Poison, type EventDefinition } from '@postmesh/contracts';
import * as accounts from '@postmesh/accounts-contract';
import * as deliveryWorker from '@postmesh/delivery-worker-contract';
import * as domains from '@postmesh/domains-contract';
import * as marketing from '@postmesh/marketing-contract';
import * as messages from '@postmesh/messages-contract';
import * as webhookDispatcher from '@postmesh/webhook-dispatcher-contract';
import * as webhooks from '@postmesh/webhooks-contract';
import { describe, expect, it } from 'vitest';

const isEvent = (value: unknown): value is EventDefinition<unknown> =>
  typeof value === 'object' && value !== null && 'pattern' in value && 'make' in value;
/** Every event version of every contract. */
const EVENTS = [accounts, deliveryWorker, domains, marketing, messages, webhookDispatcher, webhooks]
  .flatMap((contract) => Object.values<unknown>(contract))
  .filter(isEvent);

describe('events', () => {
  it.each(EVENTS.map((event) => [event.pattern, event] as const))(
    '%s: every example parses on both sides',
    (_pattern, event) => {
      expect(event.examples.length).toBeGreaterThan(0);
      for (const example of event.examples) {
        const made = event.make(example as never, { account_id: newId() });
        expect(EventEnvelope.parse(JSON.parse(JSON.stringify(made)))).toEqual(made);
        expect(event.parse(made as never).data).toEqual(example);
      }
    },
  );

  it('are poison when their data does not match the schema, and ignore unknown fields', () => {
    for (const event of EVENTS) {
      const made = event.make(event.examples[0] as never, { account_id: null });
      expect(() => event.parse({ ...made, data: {} } as never)).toThrow(Poison);
      expect(event.parse({ ...made, data: { ...(made.data as object), later: 1 } } as never)).toBeDefined();
    }
  });

  it('have one file and one pattern each', () => {
    expect(new Set(EVENTS.map(({ pattern }) => pattern)).size).toBe(EVENTS.length);
  });
});
