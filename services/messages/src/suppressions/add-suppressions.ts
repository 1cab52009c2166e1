import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { mergeCauses, type ChangedSuppression, type SuppressionCause } from './suppression.rules.js';
import { SuppressionsRepository, type LiveRow } from './suppressions.repository.js';

/**
 * Adds addresses to suppression lists: for clients, imports, and automatic causes (bounces, complaints,
 * unsubscribes). An expired row counts as absent and is replaced. A row that still blocks is extended by automatic
 * causes (spec 1-platform §14.3 rule 4), and kept by a client's create.
 */
@Injectable()
export class AddSuppressions {
  constructor(private readonly suppressions: SuppressionsRepository) {}

  /**
   * @param tx the caller's transaction; the lists of the accounts are locked until it ends, so pass some hundred causes
   * and commit soon
   * @returns the rows that are new or changed
   */
  async execute(
    tx: EntityManager,
    causes: readonly SuppressionCause[],
    live: LiveRow = 'extend',
  ): Promise<ChangedSuppression[]> {
    if (causes.length === 0) return [];
    const accountIds = causes.map(({ accountId }) => accountId);
    await this.suppressions.lock(tx, accountIds);
    return this.suppressions.upsert(tx, mergeCauses(causes), live);
  }
}
