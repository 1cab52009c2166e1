import { beforeAll, describe, expect, it } from 'vitest';
import { LedgerRun } from './ledger-run.js';

// with a process that accepts, as everywhere from four processors on (decision 91)
const KILLS = ['all-in-one', 'accept', 'postgres', 'all-in-one'];
const RUN_MS = 900_000;

describe('kill -9 of all-in-one, and of its PostgreSQL alone, at random moments, under every kind of load at once', () => {
  let ledger: LedgerRun;
  beforeAll(async () => {
    ledger = await LedgerRun.of({
      mode: 'embedded',
      replyMs: 100,
      acceptProcesses: 1,
      kills: KILLS,
      sizes: { rate: 6, burst: 120, campaignRecipients: 300, importLines: 5_000, webhooks: 2 },
    });
  }, RUN_MS);

  it('was killed each time with requests under way', () => {
    expect(ledger.book.kills.map(({ what }: { what: string }) => what)).toEqual(KILLS);
    expect(ledger.book.failedTries.length + ledger.book.unanswered.size).toBeGreaterThan(0);
  });

  it('loses no accepted message, and sends twice only what nobody can know', () => {
    ledger.expectKept('send', 100);
    ledger.expectKept('several', 100);
    ledger.expectKept('sandbox', 50);
    ledger.expectNone('lost');
    ledger.expectNone('came twice, unrecorded');
  });

  it('takes a request that is repeated with its Idempotency-Key once', () => {
    expect(ledger.book.failedTries.length).toBeGreaterThan(0);
    ledger.expectNone('came twice, unrecorded');
    ledger.expectNone('arrived, but never accepted');
  });

  it('spec 2-messages §13 rule 9: loses no submission that was answered with 250, and repeats only what nobody can know', () => {
    ledger.expectKept('submission', 40);
    ledger.expectTold('submission');
  });

  it('spec 2-messages §16 rule 4: what was answered with 250 is a record, and its route is called', () => {
    ledger.expectKept('inbound', 40);
    ledger.expectTold('inbound');
    ledger.expectNone('inbound record is not what was sent');
    ledger.expectNone('route call missing');
  });

  it('spec 3-marketing §7.2 rule 2: each recipient gets a campaign once, save what an attempt that was cut off leaves open', () => {
    expect(ledger.book.campaigns).toHaveLength(KILLS.length);
    ledger.expectKept('campaign', KILLS.length * 300);
    ledger.expectNone('campaign did not reach each recipient');
  });

  it('imports that are killed go on where they were, and take no line twice', () => {
    expect(ledger.book.imports).toHaveLength(2 * KILLS.length);
    ledger.expectNone('import did not take each line once');
  });

  it('misses no event of any webhook, and every repeat has the webhook-id of the first', () => {
    ledger.expectNone('webhook event missing');
    ledger.expectNone('not told under one webhook-id of its own');
    expect(ledger.verdict.repeatedCalls).toBeGreaterThan(0);
  });
});
