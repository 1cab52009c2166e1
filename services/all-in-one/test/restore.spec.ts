import { beforeAll, describe, expect, it } from 'vitest';
import { renderRestore } from '../../../tools/ledger/report.mjs';
import { runRestoreDrill } from '../../../tools/ledger/restore-drill.mjs';

const DRILL_MS = 600_000;

describe('a backup under load, the loss of the installation, and a restore into another data directory', () => {
  let drill: Awaited<ReturnType<typeof runRestoreDrill>>['verdict'];
  beforeAll(async () => {
    const say = (line: string) => void process.stdout.write(`  ${line}\n`);
    drill = (await runRestoreDrill({ say })).verdict;
    say(`\n${renderRestore(drill)}`);
  }, DRILL_MS);

  const expectNone = (finding: string) => {
    expect(drill.findings).toHaveProperty([finding]);
    expect(drill.findings[finding]).toEqual([]);
  };

  it('was one of messages that waited, of which some were sent before the loss', () => {
    expect(drill.facts.waiting).toBeGreaterThanOrEqual(20);
    expect(drill.facts.sentMeanwhile).toBeGreaterThanOrEqual(8);
    expect(drill.facts.acceptedLater).toBeGreaterThanOrEqual(20);
  });

  it('loses nothing that was accepted before the backup began, and delivers all of it', () => {
    expect(drill.facts.required).toBeGreaterThanOrEqual(80);
    expectNone('lost');
    expectNone('inbound record differs from the sent message');
    expectNone('arrived, but never accepted');
  });

  it('sends nothing while POSTMESH_DELIVERY is off, and nothing again that the log of the lost one knows', () => {
    expect(drill.facts.marked).toBeGreaterThan(0);
    expectNone('sent while deliveries were off');
    expectNone('sent again, although the log records its delivery');
  });

  it('publishes every event and calls every route', () => {
    expectNone('webhook event missing');
    expectNone('route call missing');
  });

  it('keeps API keys, SMTP logins and suppressions', () =>
    expectNone('earlier key, login or suppression no longer works'));
});
