import type { AuditEntryEntity } from '../database/entities/index.js';

// `operator` is the one whose token the settings name; it was the only one, and without a name, at first.
const FIRST = new Set([null, 'operator']);

export function auditEntry(entry: AuditEntryEntity) {
  const isFirst = entry.actorKind === 'operator' && FIRST.has(entry.actorId);
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    actor: isFirst || entry.actorId === null ? entry.actorKind : `${entry.actorKind} ${entry.actorId}`,
    action: entry.action,
    account_id: entry.accountId,
    subject_id: entry.subjectId,
    details: entry.details,
  };
}
