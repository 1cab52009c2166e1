import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { ApiError } from '@postmesh/contracts';
import { listAll } from '../apply/pages.js';
import { addCounts, StateFile } from '../apply/state-file.js';
import type { ApiTarget, OperatorTarget, ShowProgress } from '../apply/target.js';
import { SeenAddresses } from '../read/addresses.js';
import { formOf } from '../read/forms.js';
import { RefusedRows, type RefusedRow } from '../read/refused-rows.js';
import { rowsOf, type Row, type RowsFile } from '../read/rows.js';
import { CAUSES, type Cause, type Source } from '../sources/source.js';
import {
  isProtecting,
  readSuppression,
  type SuppressionEntry,
  type SuppressionsAbout,
} from './suppression-rows.rules.js';

/** Rows of one import of the operator interface: a tenth of what it takes, so that progress is stored often. */
const PART_ROWS = 100_000;
/** More rows of an account are not compared. */
const MAX_COMPARED = 20_000;
const BODY_CHARS = 65_536;
const FIRST_WAIT_MS = 50;
const MAX_WAIT_MS = 1_000;
/** Without progress of an import for so long, the services that work on it are not well. */
const MAX_STALL_MS = 600_000;

const Suppression = z.object({
  domain: z.string(),
  email: z.string(),
  expires_at: z.string(),
  protected: z.boolean(),
});

const Import = z.object({
  id: z.string(),
  state: z.string(),
  problem: z.string().nullish(),
  lines_done: z.number(),
  created: z.number(),
  extended: z.number(),
  unchanged: z.number(),
  errors: z.number(),
  first_errors: z.array(z.object({ line: z.number(), reason: z.string(), text: z.string() })).default([]),
});

export interface SuppressionsReport {
  what: 'suppressions';
  form: string;
  rows: number;
  /** per cause */
  taken: Record<Cause, number>;
  /** rows that are no suppressions, and addresses that come again */
  passed_over: number;
  repeated: number;
  /** without a readable date: they get the time of the import */
  without_date: number;
  refused: number;
  first_refused: readonly RefusedRow[];
  /** of a dry run, in rows per domain; undefined when the account has too many to compare */
  would?: { add: number; extend: number; change_nothing: number } | undefined;
  domains: readonly string[];
  /** of an import */
  done?: Record<string, number>;
}

export interface SuppressionsJob {
  source: Source;
  file: RowsFile;
  as?: string | undefined;
  domain?: string | undefined;
  api: ApiTarget;
  operator: OperatorTarget;
  progress: ShowProgress;
}

/**
 * The effect of an import, without any write.
 * @param compares with what the account has
 * @throws ApiError 400
 */
export async function surveySuppressions(
  job: SuppressionsJob,
  compares: boolean,
): Promise<SuppressionsReport> {
  const about = await aboutOf(job);
  const domains = await domainsOf(job);
  const existing = compares ? await existingRows(job.api) : undefined;
  const seen = new SeenAddresses();
  const refusedRows = new RefusedRows();
  const taken = Object.fromEntries(CAUSES.map((cause) => [cause, 0])) as Record<Cause, number>;
  const report = { rows: 0, passed_over: 0, repeated: 0, without_date: 0 };
  const would = { add: 0, extend: 0, change_nothing: 0 };
  for await (const row of rowsOf(job.file, about.form.rowsIn)) {
    report.rows += 1;
    const read = readSuppression(row, about);
    if (read.kind === 'refused') refusedRows.add(row, read.reason);
    else if (read.kind === 'none') report.passed_over += 1;
    else {
      taken[read.cause] += 1;
      if (!read.hasDate) report.without_date += 1;
      if (!seen.add(read.entry.email)) report.repeated += 1;
      else if (existing) for (const domain of domains) would[effectOn(existing, domain, read)] += 1;
    }
  }
  return {
    what: 'suppressions',
    form: about.form.name,
    ...report,
    taken,
    refused: refusedRows.count,
    first_refused: refusedRows.first,
    domains,
    ...(existing ? { would } : {}),
  };
}

async function aboutOf({ source, file, as, domain }: SuppressionsJob): Promise<SuppressionsAbout> {
  const form = await formOf(file, source.suppressions, as);
  return { form, title: source.title, domain, now: new Date() };
}

/** The domains that get a row for each address. @throws ApiError 400 without any */
async function domainsOf({ api, domain }: SuppressionsJob): Promise<string[]> {
  const listed = await listAll(api, '/domains', z.object({ domain: z.string() }), Number.POSITIVE_INFINITY);
  const all = (listed ?? []).map((one) => one.domain);
  if (all.length === 0)
    throw new ApiError(400, 'the account has no domains: a suppression is of a domain, so add them first');
  if (domain === undefined) return all;
  if (!all.includes(domain))
    throw new ApiError(400, `the account has no domain ${domain}; it has ${all.join(', ')}`);
  return [domain];
}

type Existing = ReadonlyMap<string, { isPermanent: boolean; isProtected: boolean }>;

async function existingRows(api: ApiTarget): Promise<Existing | undefined> {
  const rows = await listAll(api, '/suppressions', Suppression, MAX_COMPARED);
  return (
    rows &&
    new Map(
      rows.map(({ domain, email, expires_at: end, protected: isProtected }) => [
        `${domain} ${email}`,
        { isPermanent: end.startsWith('9999'), isProtected },
      ]),
    )
  );
}

function effectOn(
  existing: Existing,
  domain: string,
  { cause, entry }: { cause: Cause; entry: SuppressionEntry },
): 'add' | 'extend' | 'change_nothing' {
  const row = existing.get(`${domain} ${entry.email}`);
  if (!row) return 'add';
  return !row.isPermanent || (isProtecting(cause) && !row.isProtected) ? 'extend' : 'change_nothing';
}

/**
 * Imports all rows from the last stored position on, part by part, each an import of the operator interface: that one keeps
 * dates and protects complaints, which the API does not (spec 1-platform §14.2 rule 3).
 */
export async function applySuppressions(
  job: SuppressionsJob,
  survey: SuppressionsReport,
): Promise<SuppressionsReport> {
  const about = await aboutOf(job);
  const { accountId } = job.operator;
  const stateFile = new StateFile(
    job.file.path,
    `suppressions ${about.form.name} ${accountId} ${job.domain ?? '*'}`,
  );
  const state = stateFile.read();
  const refusedRows = new RefusedRows();
  const entries = new EntryReader(rowsOf(job.file, about.form.rowsIn), about);
  await entries.skip(state.rows);
  while (await entries.hasMore()) {
    const part = new Part(entries);
    const { id } = Import.parse(
      await job.operator.upload(
        `/operator/messages/accounts/${encodeURIComponent(accountId)}/suppression-imports`,
        part.body(),
      ),
    );
    const done = await finished(job, id, { done: state.rows, total: survey.rows });
    if (done.state !== 'done')
      throw new ApiError(400, `the import ${done.id} ${done.state}: ${done.problem ?? ''}`);
    for (const { line, reason, text } of done.first_errors) {
      refusedRows.add({ line: part.lines[line - 1] ?? 0, text }, reason);
    }
    const { created, extended, unchanged, errors } = done;
    addCounts(state.counts, { added: created, extended, unchanged, refused_by_server: errors });
    state.rows = entries.rows;
    stateFile.write(state);
  }
  stateFile.remove();
  const { would: _would, ...rest } = survey;
  const first_refused = [...survey.first_refused, ...refusedRows.first];
  const refused = survey.refused + (state.counts['refused_by_server'] ?? 0);
  return { ...rest, refused, first_refused, done: state.counts };
}

async function finished(
  { operator, progress }: SuppressionsJob,
  id: string,
  { done, total }: { done: number; total: number },
): Promise<z.infer<typeof Import>> {
  const path = `/operator/messages/suppression-imports/${encodeURIComponent(id)}`;
  let [latest, changedAt] = [-1, performance.now()];
  for (
    let wait = FIRST_WAIT_MS;
    performance.now() - changedAt < MAX_STALL_MS;
    wait = Math.min(MAX_WAIT_MS, wait * 2)
  ) {
    const answer = await operator.ask({ path }).catch(ignoreOutage);
    if (answer === undefined) {
      await pause(MAX_WAIT_MS);
      continue;
    }
    const now = Import.parse(answer);
    await progress({ done: done + now.lines_done, total, unit: 'rows' });
    if (now.state !== 'waiting' && now.state !== 'uploading') return now;
    if (now.lines_done !== latest) [latest, changedAt] = [now.lines_done, performance.now()];
    await pause(wait);
  }
  throw new ApiError(
    503,
    `the import ${id} does not proceed: see \`npx postmesh doctor\`, then repeat this command`,
  );
}

/** The import continues without us: a service that is away for a while is waited for. */
function ignoreOutage(error: unknown): undefined {
  const isOutage = error instanceof Error && 'status' in error && Number(error.status ?? 500) >= 500;
  if (!isOutage) throw error;
}

/** The suppressions in the rows of a file, one by one. */
class EntryReader {
  rows = 0;
  private ahead: { row: Row; entry: SuppressionEntry } | undefined;

  constructor(
    private readonly source: AsyncGenerator<Row>,
    private readonly about: SuppressionsAbout,
  ) {}

  async skip(rows: number): Promise<void> {
    while (this.rows < rows && !(await this.source.next()).done) this.rows += 1;
  }

  async hasMore(): Promise<boolean> {
    this.ahead ??= await this.read();
    return this.ahead !== undefined;
  }

  async next(): Promise<{ row: Row; entry: SuppressionEntry } | undefined> {
    const next = this.ahead ?? (await this.read());
    this.ahead = undefined;
    return next;
  }

  private async read(): Promise<{ row: Row; entry: SuppressionEntry } | undefined> {
    for (;;) {
      const { value: row, done } = await this.source.next();
      if (done) return undefined;
      this.rows += 1;
      const read = readSuppression(row, this.about);
      if (read.kind === 'suppression') return { row, entry: read.entry };
    }
  }
}

class Part {
  /** the line in the file, by the line in the part */
  readonly lines: number[] = [];

  constructor(private readonly entries: EntryReader) {}

  async *body(): AsyncGenerator<string> {
    let text = '';
    while (this.lines.length < PART_ROWS) {
      const next = await this.entries.next();
      if (!next) break;
      this.lines.push(next.row.line);
      text += `${JSON.stringify(next.entry)}\n`;
      if (text.length < BODY_CHARS) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
  }
}
