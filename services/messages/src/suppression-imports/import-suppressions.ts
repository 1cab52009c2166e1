import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiError, type AccountId } from '@postmesh/contracts';
import { requirePresent } from '../account-changes/require-present.js';
import { AccountDomains } from '../suppressions/account-domains.js';
import { AddSuppressions } from '../suppressions/add-suppressions.js';
import type { ChangedSuppression, SuppressionCause } from '../suppressions/suppression.rules.js';
import { SuppressionsRepository } from '../suppressions/suppressions.repository.js';
import { inDomains, readEntry } from './import-lines.rules.js';
import type { EntryOutcome, SuppressionBatch, SuppressionBatchBody } from './suppression-batch.schema.js';

// Rows of one transaction, which blocks other changes of this account's list.
const MAX_BATCH_ROWS = 500;
// Rows after which a request takes no further entry: one for all domains of an account has as many as that has.
const MAX_ROWS = 5_000;

/** A part of a file that a member imports. Repeated, it changes nothing more. */
@Injectable()
export class ImportSuppressions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: AccountDomains,
    private readonly addSuppressions: AddSuppressions,
    private readonly suppressions: SuppressionsRepository,
  ) {}

  /** @param isDryRun nothing is changed: the same effect is reported. @throws ApiError 400 or 401 */
  async execute(
    accountId: AccountId,
    { data }: SuppressionBatchBody,
    { isDryRun }: { isDryRun: boolean },
  ): Promise<SuppressionBatch> {
    const domains = (await this.domains.all(accountId)).toSorted();
    const { entries, errors } = readEntries(accountId, data, domains);
    const causes = entries.flatMap((entry) => entry ?? []);
    const effects = new Map<string, ChangedSuppression['kind']>();
    for (let from = 0; from < causes.length; from += MAX_BATCH_ROWS) {
      const batch = causes.slice(from, from + MAX_BATCH_ROWS);
      const found = isDryRun
        ? await this.suppressions.effects(this.dataSource.manager, batch)
        : await this.add(accountId, batch);
      for (const row of found) effects.set(placeOf(row), row.kind);
    }
    const count = (outcome: EntryOutcome) =>
      entries.filter((entry) => outcomeOf(entry, effects) === outcome).length;
    return {
      object: 'suppression_batch',
      done: entries.length,
      created: count('created'),
      extended: count('extended'),
      unchanged: count('unchanged'),
      rejected: errors.length,
      errors,
    };
  }

  private add(accountId: AccountId, causes: readonly SuppressionCause[]) {
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      return this.addSuppressions.execute(tx, causes);
    });
  }
}

/** The rows of an entry; undefined: it is rejected. */
type Entry = readonly SuppressionCause[] | undefined;

function readEntries(
  accountId: AccountId,
  data: SuppressionBatchBody['data'],
  domains: readonly string[],
): { entries: Entry[]; errors: SuppressionBatch['errors'] } {
  const about = { accountId, importedAt: new Date() };
  const owned = new Set(domains);
  const entries: Entry[] = [];
  const errors: SuppressionBatch['errors'] = [];
  for (let position = 0, rows = 0; position < data.length && rows < MAX_ROWS; position += 1) {
    try {
      const causes = inDomains(readEntry(data[position] ?? {}, about), { domains, owned });
      entries.push(causes);
      rows += causes.length;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      entries.push(undefined);
      errors.push({ position, reason: error.message });
    }
  }
  return { entries, errors };
}

// neither a domain nor an accepted address contains a blank
const placeOf = ({ domain, email }: { domain: string; email: string }): string => `${domain} ${email}`;

function outcomeOf(entry: Entry, effects: ReadonlyMap<string, string>): EntryOutcome {
  if (!entry) return 'rejected';
  const kinds = new Set(entry.map((cause) => effects.get(placeOf(cause))));
  return kinds.has('created') ? 'created' : kinds.has('extended') ? 'extended' : 'unchanged';
}
