import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { changedRows, insertRows } from '@postmesh/database';
import { Outbox } from '@postmesh/events';
import { DomainAlignmentChanged } from '@postmesh/messages-contract';
import { deletedAccounts } from '../account-changes/deleted-accounts.js';
import { judgeAlignment, RECENT_DAYS, USUAL_DAYS, type DayOfAlignment } from './alignment.rules.js';
import { KNOWN_REPORTERS } from './reporters.table.js';
import type { FailureRow, ReportedDomain, ReportRow, SourceRow, TlsRow } from './report-rows.rules.js';

export type StoreEffect = 'stored' | 'again' | 'too-many' | 'account-gone';

/** Reports of all receivers about one domain in a day: there are some tens. */
const MAX_PER_DAY = 300;
const MAX_FAILURES_PER_DAY = 200;

/** Stores a report once, with its figures and what they say about alignment, in the transaction of the caller. */
@Injectable()
export class StoreReport {
  constructor(private readonly outbox: Outbox) {}

  async aggregate(
    tx: EntityManager,
    about: ReportedDomain,
    row: ReportRow,
    sources: readonly SourceRow[],
  ): Promise<StoreEffect> {
    const effect = await insertReport(tx, row);
    if (effect !== 'stored') return effect;
    await insertRows(tx, 'reported_sources', SOURCE_COLUMNS, sources, { onConflict: ADD_SOURCES });
    if (sources.length > 0) await this.judge(tx, about, row.receivedAt);
    return effect;
  }

  async tls(tx: EntityManager, row: ReportRow, rows: readonly TlsRow[]): Promise<StoreEffect> {
    const effect = await insertReport(tx, row);
    if (effect === 'stored') await insertRows(tx, 'reported_tls', TLS_COLUMNS, rows, { onConflict: ADD_TLS });
    return effect;
  }

  async failure(tx: EntityManager, row: FailureRow): Promise<StoreEffect> {
    const limit = await limitOf(tx, row, 'failure_reports', MAX_FAILURES_PER_DAY);
    if (limit) return limit;
    const options = { onConflict: 'do nothing', returning: 'id' };
    const stored = await insertRows(tx, 'failure_reports', FAILURE_COLUMNS, [row], options);
    return stored.length > 0 ? 'stored' : 'again';
  }

  /** All mail concerns the owner of the domain, mail from our addresses the operator. */
  private async judge(tx: EntityManager, about: ReportedDomain, at: Date): Promise<void> {
    for (const scope of ['all', 'own'] as const) {
      await tx.query(BEGIN_ALIGNMENT, [about.domainId, scope, about.accountId, about.domain, at]);
      const [before]: { usual: number | null }[] = await tx.query(LOCK_ALIGNMENT, [about.domainId, scope]);
      const state = { usual: before?.usual ?? null };
      let judged = judgeAlignment(await daysOf(tx, about, { scope, isKnown: true }), state);
      // an owner without reports of known providers has those of others; they page no operator
      if (judged.share === null && scope === 'all')
        judged = judgeAlignment(await daysOf(tx, about, { scope, isKnown: false }), state);
      const { share, usual, change } = judged;
      await changedRows(tx, SET_ALIGNMENT, [about.domainId, scope, share, usual, change, at]);
      if (scope === 'all' && change !== null && share !== null)
        await this.outbox.add(tx, [
          changed(about, { change, share, usual: usual ?? before?.usual ?? 1 }, at),
        ]);
    }
  }
}

/** Domains that were deleted: their fall is no matter of Home or of an alert. Figures end with their time. */
export async function forgetAlignments(tx: EntityManager, domainIds: readonly string[]): Promise<void> {
  if (domainIds.length === 0) return;
  await tx.query('delete from domain_alignments where domain_id = any($1::uuid[])', [domainIds]);
}

const daysOf = (
  tx: EntityManager,
  { domainId }: ReportedDomain,
  { scope, isKnown }: { scope: 'all' | 'own'; isKnown: boolean },
): Promise<DayOfAlignment[]> =>
  tx.query(DAYS, [domainId, scope === 'own', RECENT_DAYS + USUAL_DAYS, isKnown ? KNOWN_REPORTERS : null]);

const changed = (
  { accountId, domainId, domain }: ReportedDomain,
  { change, share, usual }: { change: 'fallen' | 'recovered'; share: number; usual: number },
  at: Date,
) =>
  DomainAlignmentChanged.make(
    { domain_id: domainId, domain, change, share, usual, changed_at: at.toISOString() },
    { account_id: accountId, occurred_at: at },
  );

async function insertReport(tx: EntityManager, row: ReportRow): Promise<StoreEffect> {
  const limit = await limitOf(tx, row, 'domain_reports', MAX_PER_DAY);
  if (limit) return limit;
  const options = { onConflict: 'do nothing', returning: 'id' };
  const stored = await insertRows(tx, 'domain_reports', REPORT_COLUMNS, [row], options);
  return stored.length > 0 ? 'stored' : 'again';
}

/** @returns undefined below the limit. A race may exceed it by the messages that arrive at once. */
async function limitOf(
  tx: EntityManager,
  { accountId, domainId, receivedAt }: Pick<ReportRow, 'accountId' | 'domainId' | 'receivedAt'>,
  table: 'domain_reports' | 'failure_reports',
  limit: number,
): Promise<StoreEffect | undefined> {
  if ((await deletedAccounts(tx, [accountId])).size > 0) return 'account-gone';
  const [counted]: { count: number }[] = await tx.query(
    `select count(*)::int as count from ${table} where domain_id = $1 and received_at > $2::timestamptz - interval '1 day'`,
    [domainId, receivedAt],
  );
  return (counted?.count ?? 0) >= limit ? 'too-many' : undefined;
}

const REPORT_COLUMNS = {
  id: 'uuid',
  account_id: 'uuid',
  domain_id: 'uuid',
  kind: 'text',
  provider: 'text',
  organisation: 'text',
  report_id: 'text',
  begins_at: 'timestamptz',
  ends_at: 'timestamptz',
  received_at: 'timestamptz',
  messages: 'bigint',
  skipped: 'int',
} as const;

const SOURCE_COLUMNS = {
  account_id: 'uuid',
  domain_id: 'uuid',
  day: 'date',
  provider: 'text',
  source: 'text',
  is_own: 'bool',
  messages: 'bigint',
  aligned: 'bigint',
  dkim_aligned: 'bigint',
  spf_aligned: 'bigint',
  quarantined: 'bigint',
  rejected: 'bigint',
  forwarded: 'bigint',
  dkim_domain: 'text',
  dkim_result: 'text',
  spf_domain: 'text',
  updated_at: 'timestamptz',
} as const;

const SUMS = ['messages', 'aligned', 'dkim_aligned', 'spf_aligned', 'quarantined', 'rejected', 'forwarded'];

const ADD_SOURCES = `(domain_id, day, provider, source) do update set
  ${SUMS.map((sum) => `${sum} = reported_sources.${sum} + excluded.${sum}`).join(', ')},
  is_own = excluded.is_own,
  dkim_domain = case when excluded.aligned < excluded.messages then excluded.dkim_domain else reported_sources.dkim_domain end,
  dkim_result = case when excluded.aligned < excluded.messages then excluded.dkim_result else reported_sources.dkim_result end,
  spf_domain = case when excluded.aligned < excluded.messages then excluded.spf_domain else reported_sources.spf_domain end,
  updated_at = excluded.updated_at`;

const TLS_COLUMNS = {
  account_id: 'uuid',
  domain_id: 'uuid',
  day: 'date',
  provider: 'text',
  policy_type: 'text',
  result_type: 'text',
  mx_host: 'text',
  sessions: 'bigint',
  updated_at: 'timestamptz',
} as const;

const ADD_TLS = `(domain_id, day, provider, policy_type, result_type, mx_host) do update set
  sessions = reported_tls.sessions + excluded.sessions, updated_at = excluded.updated_at`;

const FAILURE_COLUMNS = {
  id: 'uuid',
  account_id: 'uuid',
  domain_id: 'uuid',
  provider: 'text',
  source: 'text',
  failure: 'text',
  alignment: 'text',
  delivery_result: 'text',
  dkim_domain: 'text',
  incidents: 'int',
  message_id: 'uuid',
  arrived_at: 'timestamptz',
  received_at: 'timestamptz',
} as const;

const BEGIN_ALIGNMENT = `
  insert into domain_alignments (domain_id, scope, account_id, domain, updated_at) values ($1, $2, $3, $4, $5) on conflict do nothing`;

/** Reports about one domain are judged one after another, each with those before it. */
const LOCK_ALIGNMENT =
  'select usual::float8 as usual from domain_alignments where domain_id = $1 and scope = $2 for update';

const DAYS = `
  select day::text as day, sum(messages)::float8 as messages, sum(aligned)::float8 as aligned from reported_sources
  where domain_id = $1 and (is_own or not $2) and ($4::text[] is null or provider = any($4)) group by day order by day desc limit $3`;

const SET_ALIGNMENT = `
  update domain_alignments set share = $3::real, usual = $4::real, updated_at = $6,
    fell_at = case $5::text when 'fallen' then $6::timestamptz when 'recovered' then null else fell_at end
  where domain_id = $1 and scope = $2`;
