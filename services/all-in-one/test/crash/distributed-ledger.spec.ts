import { loadSettings } from '@postmesh/settings';
import { createTestDatabase, realPart } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LedgerRun } from './ledger-run.js';

const given = loadSettings();
// Says only whether this machine has them: what is killed here is the test's own.
const isRunnable =
  realPart('KAFKA_BROKERS', given.kafkaBrokers) !== undefined &&
  realPart('REDIS_URL', given.redisUrl) !== undefined;

const KILLS = [
  'webhooks',
  'webhook-dispatcher',
  'delivery-worker',
  'messages',
  'marketing',
  'redis',
  'kafka',
  'kafka-wipe',
];
const RUN_MS = 900_000;

describe.runIf(isRunnable)('kill -9 of services, Redis and Kafka in turn, each a process of its own', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let ledger: LedgerRun;
  beforeAll(async () => {
    database = await createTestDatabase();
    ledger = await LedgerRun.of({
      mode: 'distributed',
      replyMs: 100,
      kills: KILLS,
      sizes: { rate: 5, burst: 40, campaignRecipients: 150, importLines: 2_000, webhooks: 2 },
      databaseUrl: database.url,
    });
  }, RUN_MS);
  afterAll(() => database?.drop(), 60_000);

  it('accepts at the first try while any part is away that acceptance does not ask', () => {
    expect(ledger.book.kills.map(({ what }: { what: string }) => what)).toEqual(KILLS);
    const unexpected = ledger.book.failedTries.filter(
      ({ during }: { during: string }) => during !== 'messages',
    );
    expect(unexpected).toEqual([]);
  });

  it('loses no accepted message, and sends twice only what nobody can know', () => {
    ledger.expectKept('send', 100);
    ledger.expectKept('several', 100);
    ledger.expectKept('sandbox', 50);
    ledger.expectNone('came twice, unrecorded');
    ledger.expectNone('arrived, but never accepted');
  });

  it('spec 2-messages §18 rule 10: with webhooks, dispatcher, Redis and broker killed in turn, every event comes at least once, each repeat under its first id', () => {
    ledger.expectNone('webhook event missing');
    ledger.expectNone('not told under one webhook-id of its own');
    expect(ledger.verdict.repeatedCalls).toBeGreaterThan(0);
  });

  it('spec 3-marketing §7.2 rule 2: a campaign reaches each once although the marketing service is killed', () => {
    ledger.expectKept('campaign', KILLS.length * 150);
    ledger.expectNone('campaign did not reach each recipient');
  });

  it('spec 2-messages §13 rule 9, §16 rule 4: what SMTP answered with 250 is sent, or is a record whose route is called', () => {
    ledger.expectKept('submission', 40);
    ledger.expectKept('inbound', 40);
    ledger.expectNone('route call missing');
    ledger.expectNone('inbound record is not what was sent');
  });

  it('imports whose service is killed take no line twice', () => {
    expect(ledger.book.imports).toHaveLength(2 * KILLS.length);
    ledger.expectNone('import did not take each line once');
  });
});
