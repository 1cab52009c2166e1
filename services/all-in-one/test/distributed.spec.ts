import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SERVICES } from '@postmesh/contracts';
import { loadSettings } from '@postmesh/settings';
import { createTestDatabase, realPart } from '@postmesh/testing';
import { LedgerRun } from './ledger-run.js';
import { missingSteps, STEPS_OF_A_MESSAGE, TraceCollector } from './trace-collector.js';

const given = loadSettings();
const brokers = realPart('KAFKA_BROKERS', given.kafkaBrokers);
const redis = realPart('REDIS_URL', given.redisUrl);

const RUN_MS = 600_000;

describe.runIf(brokers && redis)(
  'ten processes on real Kafka, Redis and PostgreSQL: delivery workers 1 → 4 → 1, then another build, under load',
  () => {
    let database: Awaited<ReturnType<typeof createTestDatabase>>;
    let collector: TraceCollector;
    let ledger: LedgerRun;
    beforeAll(async () => {
      database = await createTestDatabase();
      collector = await TraceCollector.start();
      ledger = await LedgerRun.of({
        mode: 'distributed',
        kills: [],
        roll: {},
        sizes: { rate: 10, burst: 15, campaignRecipients: 100, importLines: 500, webhooks: 1 },
        databaseUrl: database.url,
        stores: { brokers: brokers ?? [], redisUrl: redis ?? '' },
        settings: collector.settingsForMany,
      });
    }, RUN_MS);
    afterAll(async () => {
      await collector?.close();
      await database?.drop();
    });

    it('stops three of four workers, then every process of the first build, and each of them in order', () => {
      const { stops } = ledger.book;
      const stopped = stops.map(({ what }: { what: string }) => what.replace(/-\d+$/, ''));
      expect([...new Set(stopped)].sort()).toEqual(SERVICES.toSorted());
      expect(stops).toHaveLength(SERVICES.length + TWICE + SCALED_DOWN);
      ledger.expectNone('process did not stop cleanly');
    });

    it('loses no accepted message, sends none twice, and signs each', () => {
      ledger.expectKept('send', 50);
      ledger.expectKept('several', 50);
      ledger.expectKept('sandbox', 25);
      ledger.expectKept('submission', 20);
      ledger.expectKept('campaign', 2 * 100);
      ledger.expectNone('duplicate without a kill');
      ledger.expectNone('arrived, but never accepted');
      ledger.expectNone('arrived without a signature');
    });

    it('never refuses to accept for longer than a second', () => {
      ledger.expectNone('acceptance was refused for longer than a second');
    });

    it('sends every webhook every event under one id, and calls the route of every inbound message', () => {
      ledger.expectKept('inbound', 20);
      ledger.expectNone('webhook event missing');
      ledger.expectNone('route call missing');
      ledger.expectNone('event or route call with several or shared webhook-ids');
    });

    it('takes each line of an import once, and reaches each recipient of a campaign', () => {
      expect(ledger.book.imports).toHaveLength(4);
      ledger.expectNone('import did not apply each line once');
      ledger.expectNone('campaign did not reach each recipient');
    });

    it('traces messages through every process and over Kafka, without a word of them', () => {
      const missing = [...collector.byMessage().values()].map((spans) =>
        missingSteps(spans, STEPS_OF_A_MESSAGE),
      );
      expect(missing).toContainEqual([]);
      for (const text of ['mail.test', 'ledger.test']) expect(collector.text).not.toContain(text);
    });
  },
);

/** messages and gateway have two processes */
const TWICE = 2;
const SCALED_DOWN = 3;
