import { expect } from 'vitest';
import { renderLedger } from '../../../tools/ledger/report.mjs';
import { runLedger, type Row, type Run } from '../../../tools/ledger/run.mjs';

const LOAD_SECONDS = 60;

type Result = Awaited<ReturnType<typeof runLedger>>;

/** A run of `npm run ledger` whose parts a test asserts. Its table and its seed are printed. */
export class LedgerRun {
  private constructor(private readonly result: Result) {}

  static async of(run: Omit<Run, 'seconds' | 'seed'>): Promise<LedgerRun> {
    const seed = 1 + Math.floor(Math.random() * 1e9);
    const say = (line: string) => void process.stdout.write(`  ${line}\n`);
    const result = await runLedger({ ...run, seconds: LOAD_SECONDS, seed, say });
    say(`\n${renderLedger(run.mode, result.book, result.verdict)}\nseed ${seed}`);
    return new LedgerRun(result);
  }

  get book() {
    return this.result.book;
  }

  get verdict() {
    return this.result.verdict;
  }

  /** No message of this load was lost, and each duplicate is recorded as uncertain. */
  expectKept(kind: string, atLeast: number): void {
    const row = this.row(kind);
    expect(row.accepted).toBeGreaterThanOrEqual(atLeast);
    expect(row).toMatchObject({ delivered: row.accepted, lost: 0, uncertain: row.duplicates });
  }

  expectNone(finding: string): void {
    expect(this.verdict.findings).toHaveProperty([finding]);
    expect(this.verdict.findings[finding]).toEqual([]);
  }

  private row(kind: string): Row {
    const found = this.verdict.rows.find((row) => row.kind === kind);
    if (!found) throw new Error(`no message of ${kind} was accepted`);
    return found;
  }
}
