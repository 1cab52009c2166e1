import type { DataSource } from 'typeorm';
import {
  insertOrRead,
  recordName,
  takeOver,
  type ClaimRecord,
  type CompletedResponse,
  type TokenedClaim,
} from './claim-records.js';
import { judge } from './idempotency.rules.js';

export type ClaimOutcome =
  | { kind: 'run' }
  | { kind: 'mismatch' }
  | { kind: 'elsewhere'; home: string; token: string }
  | { kind: 'in-progress'; secondsLeft: number }
  | { kind: 'replay'; response: CompletedResponse };

// The second round serves keys that a group names more than once and those that another process claimed
// meanwhile; a record can also vanish (released, pruned) between two statements. Later ones need a storm:
// then «in progress» is the honest answer.
const ROUNDS = 4;

/**
 * Claims a group of keys: one statement when all are fresh or known, more for those that are not. Each
 * statement commits by itself, so a claim is durable before its operation starts (spec 1-platform §4.3.1).
 * Running it again with the same tokens finds what it won before.
 * @returns the outcomes in the order of the claims
 */
export async function claimKeys(
  dataSource: DataSource,
  claims: readonly TokenedClaim[],
  leaseSeconds: number,
): Promise<ClaimOutcome[]> {
  const outcomes = new Map<string, ClaimOutcome>();
  const open = () => claims.filter((claim) => !outcomes.has(claim.token));
  const won = (tokens: readonly string[]) => tokens.forEach((token) => outcomes.set(token, { kind: 'run' }));

  for (let round = 0; round < ROUNDS && open().length > 0; round += 1) {
    const found = await insertOrRead(dataSource, open(), leaseSeconds);
    won(found.won);
    const expired: TokenedClaim[] = [];
    for (const claim of open()) {
      const outcome = outcomeOf(found.records.get(recordName(claim)), claim);
      if (outcome === 'expired') expired.push(claim);
      else if (outcome !== 'vanished') outcomes.set(claim.token, outcome);
    }
    won(await takeOver(dataSource, expired, leaseSeconds));
  }
  return claims.map((claim) => outcomes.get(claim.token) ?? { kind: 'in-progress', secondsLeft: 0 });
}

function outcomeOf(
  record: ClaimRecord | undefined,
  claim: TokenedClaim,
): ClaimOutcome | 'expired' | 'vanished' {
  if (record === undefined) return 'vanished';
  const verdict = judge(record, claim);
  switch (verdict) {
    case 'own':
      return { kind: 'run' };
    case 'in-progress':
      return { kind: verdict, secondsLeft: record.secondsLeft };
    case 'replay':
      return record.response === null ? 'vanished' : { kind: verdict, response: record.response };
    case 'mismatch':
      return { kind: verdict };
    case 'elsewhere':
      return { kind: verdict, home: record.home ?? '', token: record.token };
    case 'expired':
      return verdict;
  }
}
