import { describe, expect, it } from 'vitest';
import { DeliveryAttempted, type DeliveryOutcome } from '@postmesh/delivery-worker-contract';
import { newId, SYSTEM_ACCOUNT_ID } from '@postmesh/contracts';
import type { MessageStatus } from '../message-status/message-status.rules.js';
import { effectiveOutcomes } from '../message-status/delivery-outcomes.rules.js';
import { acceptedFacts, outcomeFacts } from './statistics-facts.rules.js';

const accountId = newId();
const at = (ms: number) => new Date(Date.parse('2026-01-05T08:00:00.000Z') + ms);

type Accepted = Parameters<typeof acceptedFacts>[0][number];
const accepted = (recipients: string[], row: object = {}, status = 'Received') =>
  ({
    row: {
      accountId,
      domain: 'shop.test',
      tags: [],
      sandbox: null,
      campaignId: null,
      templateId: null,
      createdAt: at(0),
      ...row,
    },
    messages: recipients.map((recipient) => ({ recipient, status })),
  }) as unknown as Accepted;

describe('an accepted request', () => {
  it('is a reception per recipient, in one fact per recipient domain', () => {
    const facts = acceptedFacts([accepted(['a@one.test', 'b@one.test', 'c@two.test'])]);
    const none = { tags: null, campaign: false, templateId: null, provider: null };
    const shared = { accountId, domain: 'shop.test', ...none };
    const fact = { ...shared, at: at(0), figure: 'received', deliveryMs: 0 };
    expect(facts).toEqual([
      { ...fact, recipientDomain: 'one.test', classification: null, count: 2 },
      { ...fact, recipientDomain: 'two.test', classification: null, count: 1 },
    ]);
  });

  it('shares a fact within a second, which has the time of the first', () => {
    const facts = acceptedFacts([
      accepted(['a@one.test'], { createdAt: at(700) }),
      accepted(['a@one.test'], { createdAt: at(300) }),
      accepted(['a@one.test'], { createdAt: at(1_000) }),
    ]);
    expect(facts).toMatchObject([
      { at: at(300), count: 2 },
      { at: at(1_000), count: 1 },
    ]);
  });

  it('has a fact per set of tags, in any order', () => {
    const facts = acceptedFacts([
      accepted(['a@one.test'], { tags: ['b', 'a'] }),
      accepted(['a@one.test'], { tags: ['a', 'b'] }),
      accepted(['a@one.test'], { tags: ['a'] }),
    ]);
    expect(facts).toMatchObject([
      { tags: ['a', 'b'], count: 2 },
      { tags: ['a'], count: 1 },
    ]);
  });

  it('is a reception and a suppression when it was suppressed at once', () => {
    expect(acceptedFacts([accepted(['a@one.test'], {}, 'Suppressed')]).map(({ figure }) => figure)).toEqual([
      'received',
      'suppressed',
    ]);
  });

  it('of a campaign is one fact for all recipients, apart from the others', () => {
    const row = { campaignId: newId(), tags: ['a'] };
    const facts = acceptedFacts([accepted(['a@one.test', 'b@two.test'], row), accepted(['a@one.test'])]);
    expect(facts).toMatchObject([
      { campaign: true, recipientDomain: '', tags: null, count: 2 },
      { campaign: false, count: 1 },
    ]);
  });

  it('has a fact per template', () => {
    const facts = acceptedFacts([
      accepted(['a@one.test'], { templateId: 't' }),
      accepted(['a@one.test'], { templateId: 't' }),
      accepted(['a@one.test']),
    ]);
    expect(facts).toMatchObject([
      { templateId: 't', provider: null, count: 2 },
      { templateId: null, count: 1 },
    ]);
  });

  it('does not count in the sandbox', () => {
    expect(acceptedFacts([accepted(['a@one.test'], { sandbox: 'deliver' })])).toEqual([]);
  });
});

const [example] = DeliveryAttempted.examples;
type Data = NonNullable<typeof example>;
const attempted = (
  outcome: DeliveryOutcome,
  change: Partial<Data> = {},
  account: string | null = accountId,
) => DeliveryAttempted.make({ ...example!, outcome, tags: undefined, ...change }, { account_id: account });
const statuses = (status: MessageStatus) => new Map([[example!.message_id, status]]);
const figures = (status: MessageStatus, ...events: ReturnType<typeof attempted>[]) =>
  outcomeFacts(effectiveOutcomes(events, statuses(status))).map(({ figure, count }) => `${figure} ${count}`);

describe('the outcome of a message', () => {
  it.each<[MessageStatus, DeliveryOutcome[], string[]]>([
    ['Received', ['delivered'], ['delivered 1']],
    ['Received', ['deferred'], ['deferred 1']],
    ['Scheduled', ['deferred'], ['deferred 1']],
    ['Deferred', ['deferred'], []],
    ['Received', ['deferred', 'deferred', 'delivered'], ['deferred 1', 'delivered 1']],
    ['Deferred', ['failed'], ['failed 1']],
    ['Received', ['suppressed'], ['suppressed 1']],
    ['Received', ['delivered', 'bounced'], ['delivered 1', 'bounced 1']],
    ['Delivered', ['delivered'], []],
    ['Clicked', ['bounced'], ['bounced 1']],
    ['Delivered', ['deferred'], []],
    ['Bounced', ['bounced'], []],
    ['Canceled', ['delivered'], []],
    ['Failed', ['delivered'], []],
  ])('counts once per column: %s, then %s', (before, outcomes, expected) => {
    expect(figures(before, ...outcomes.map((outcome) => attempted(outcome)))).toEqual(expected);
  });

  it('counts a bounce that is reported after its record was purged, and nothing else', () => {
    const late = (outcome: DeliveryOutcome) =>
      outcomeFacts(effectiveOutcomes([attempted(outcome)], new Map())).length;
    expect([late('bounced'), late('delivered'), late('deferred')]).toEqual([1, 0, 0]);
  });

  it('has the kind of a bounce, and the time from acceptance of a delivery', () => {
    const reply = { smtp_code: 550, classification: 'InvalidRecipient' };
    const [bounce] = outcomeFacts(effectiveOutcomes([attempted('bounced', { reply })], statuses('Received')));
    expect(bounce).toMatchObject({ classification: 'InvalidRecipient', deliveryMs: 0 });
    const [unsaid] = outcomeFacts(
      effectiveOutcomes([attempted('bounced', { reply: null })], statuses('Received')),
    );
    expect(unsaid).toMatchObject({ classification: 'Uncategorized' });
    const [delivery] = outcomeFacts(effectiveOutcomes([attempted('delivered')], statuses('Received')));
    expect(delivery).toMatchObject({
      classification: null,
      deliveryMs: 1_880,
      at: new Date(example!.finished_at),
    });
    const [older] = outcomeFacts(
      effectiveOutcomes([attempted('delivered', { accepted_at: undefined })], statuses('Received')),
    );
    expect(older).toMatchObject({ deliveryMs: 1_000 });
  });

  it.each([
    ['aspmx.l.google.com', 'google'],
    ['mx1.mail.test', 'other'],
    [null, null],
  ])('has the provider of the host, and the template of its message: %s', (remote_host, provider) => {
    const templates = new Map([[example!.message_id, 't']]);
    const events = [attempted('delivered', { remote_host })];
    expect(outcomeFacts(effectiveOutcomes(events, statuses('Received'), templates))).toMatchObject([
      { provider, templateId: 't' },
    ]);
  });

  it('does not count in the sandbox, nor for the service itself', () => {
    expect(figures('Received', attempted('delivered', { sandbox: true }))).toEqual([]);
    expect(figures('Received', attempted('delivered', {}, SYSTEM_ACCOUNT_ID))).toEqual([]);
  });
});
