import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { z } from 'zod';
import { ApiErrors } from '@postmesh/contracts';
import { inBatches } from '@postmesh/concurrency';
import { Periodic } from '@postmesh/work';
import {
  CHAIN_BEGIN,
  linkAfter,
  verifyChain,
  type Link,
  type Sealed,
  type SealedFields,
} from './audit-chain.rules.js';

const BATCH = 500;
const VERIFIED_AT_ONCE = 5_000;

const FIELDS = `id, at, actor_kind as "actorKind", actor_id as "actorId", action, account_id as "accountId",
  subject_id as "subjectId", details::text as details`;

// An action whose outcome is unknown waits for it, and is sealed without it when it does not come.
const NOT_SEALED = `select ${FIELDS} from audit_entries
  where seq is null and (details -> 'status' is distinct from 'null' or at < now() - interval '10 minutes')
  order by at, id limit ${BATCH} for update`;

/** `?after=` the number of the last verified entry, `?noted=<number>:<hash>` an end that was written down earlier. */
export const ChainQuery = z.object({
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  noted: z
    .string()
    .regex(/^\d{1,15}:[0-9a-f]{64}$/, 'noted must be <number>:<hash>')
    .optional(),
});
export type ChainQuery = z.infer<typeof ChainQuery>;

export interface ChainReport {
  /** the last good entry */
  seq: number;
  hash: string;
  /** entries that are not sealed yet */
  waiting: number;
  problem: string | null;
  /** give it as `after`; null at the end */
  next: number | null;
}

/**
 * Seals the entries of the audit in the order in which they are found: each gets the next number, and a hash over the hash
 * before it and its own fields (decision 116).
 */
@Injectable()
export class AuditChain {
  constructor(private readonly dataSource: DataSource) {}

  @Periodic({ name: 'seal-audit', everyMs: 15_000, timeoutMs: 60_000 })
  async sealAll(signal: AbortSignal): Promise<void> {
    await inBatches(() => this.seal(), { size: BATCH, signal });
  }

  /** One batch. Replicas take turns. @returns the number of sealed entries */
  seal(): Promise<number> {
    return this.dataSource.transaction(async (manager) => {
      let last = await readEnd(manager, 'for update');
      const entries: SealedFields[] = await manager.query(NOT_SEALED);
      if (entries.length === 0) return 0;
      const links = entries.map((entry) => (last = linkAfter(last, entry)));
      await manager.query(
        `update audit_entries entry set seq = sealed.seq, hash = sealed.hash
         from unnest($1::uuid[], $2::bigint[], $3::bytea[]) as sealed (id, seq, hash) where entry.id = sealed.id`,
        [entries.map(({ id }) => id), links.map(({ seq }) => seq), links.map(({ hash }) => hash)],
      );
      await manager.query('update audit_chain set seq = $1, hash = $2', [last.seq, last.hash]);
      return entries.length;
    });
  }

  /** Recomputes a part of the chain, and at its end compares it with the stored end. */
  async verify({ after, noted }: ChainQuery): Promise<ChainReport> {
    const { manager } = this.dataSource;
    // first: entries that are sealed meanwhile are beyond this end
    const end = await readEnd(manager);
    const begin = await linkAt(manager, after);
    const rows: (SealedFields & { seq: string; hash: Buffer })[] = await manager.query(
      `select seq, hash, ${FIELDS} from audit_entries where seq > $1 and seq <= $2 order by seq limit ${VERIFIED_AT_ONCE}`,
      [after, end.seq],
    );
    const entries: Sealed[] = rows.map((row) => ({ ...row, seq: Number(row.seq) }));
    const found = verifyChain(begin, entries, noted === undefined ? undefined : readNoted(noted));
    const isLast = entries.length < VERIFIED_AT_ONCE;
    const problem = found.problem ?? (isLast ? problemAtEnd(found.last, end, noted) : null);
    const [row]: { count: number }[] = await manager.query(
      'select count(*)::int as count from audit_entries where seq is null',
    );
    return {
      seq: found.last.seq,
      hash: found.last.hash.toString('hex'),
      waiting: row?.count ?? 0,
      problem,
      next: problem === null && !isLast ? found.last.seq : null,
    };
  }
}

async function readEnd(manager: EntityManager, lock: '' | 'for update' = ''): Promise<Link> {
  const [row]: { seq: string; hash: Buffer }[] = await manager.query(
    `select seq, hash from audit_chain ${lock}`,
  );
  if (!row) throw new Error('the end of the audit chain is missing');
  return { seq: Number(row.seq), hash: row.hash };
}

/** @throws ApiError 404 for an entry that does not exist */
async function linkAt(manager: EntityManager, seq: number): Promise<Link> {
  if (seq === 0) return CHAIN_BEGIN;
  const [row]: { hash: Buffer }[] = await manager.query('select hash from audit_entries where seq = $1', [
    seq,
  ]);
  if (!row) throw ApiErrors.notFound('audit entry');
  return { seq, hash: row.hash };
}

function readNoted(text: string): Link {
  const [seq = '', hash = ''] = text.split(':');
  return { seq: Number(seq), hash: Buffer.from(hash, 'hex') };
}

function problemAtEnd(last: Link, end: Link, noted: string | undefined): string | null {
  if (last.seq !== end.seq) return `the entries after ${last.seq} are missing, there were ${end.seq}`;
  if (!last.hash.equals(end.hash)) return `the end of the chain is not that of entry ${end.seq}`;
  if (noted !== undefined && readNoted(noted).seq > end.seq) return 'the noted entry is missing';
  return null;
}
