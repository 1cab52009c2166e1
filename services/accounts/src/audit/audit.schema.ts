import { z } from 'zod';
import { ApiError, pageOf, Timestamp } from '@postmesh/contracts';
import type { AuditEntryEntity } from './audit-log.js';

export const ADMINISTRATORS_ONLY = () =>
  new ApiError(403, 'only an Administrator of the account can read its audit');

/** The filters of the list: the same as for operators, without the account. */
export const AuditFilters = z.object({
  actor: z
    .string()
    .optional()
    .meta({ description: 'The id of a user or an API key, `operator` or `system`.' }),
  action: z.string().optional().meta({ description: '`api-key.create`; `api-key.*` = with any ending.' }),
  since: z.string().optional().meta({ description: 'A time, inclusive.' }),
  until: z.string().optional().meta({ description: 'A time, exclusive.' }),
});

export type AuditFilters = z.infer<typeof AuditFilters>;

export const AuditResource = z
  .object({
    id: z.uuid(),
    created_at: Timestamp,
    actor: z.object({
      type: z.enum(['member', 'api_key', 'operator', 'system']),
      id: z.string().nullable().meta({ description: 'The id of the user or the key.' }),
      name: z
        .string()
        .nullable()
        .meta({ description: 'The address of the user or the label of the key; null: not known any more.' }),
    }),
    action: z.string(),
    subject_id: z.string().nullable(),
    details: z.record(z.string(), z.unknown()).meta({ description: 'Empty for actions of operators.' }),
    seq: z.number().int().nullable().meta({ description: 'Its number in the chain; null: not sealed yet.' }),
    hash: z.string().nullable().meta({ description: 'SHA-256 over the hash before it and its fields.' }),
  })
  .meta({ id: 'AuditEntry', description: 'One action on the account, and its author.' });
export type AuditResource = z.infer<typeof AuditResource>;
export const AuditPage = pageOf(AuditResource);

const TYPES = { member: 'member', 'api-key': 'api_key', operator: 'operator', system: 'system' } as const;

/** @param names addresses of users and labels of keys, by their ids */
export function auditResource(entry: AuditEntryEntity, names: ReadonlyMap<string, string>): AuditResource {
  const isOurs = entry.actorKind === 'operator' || entry.actorKind === 'system';
  const id = isOurs ? null : entry.actorId;
  return {
    id: entry.id,
    created_at: entry.at.toISOString(),
    actor: { type: TYPES[entry.actorKind], id, name: (id && names.get(id)) ?? null },
    action: entry.action,
    subject_id: entry.subjectId,
    // operators may have noted what is not meant for the account
    details: entry.actorKind === 'operator' ? {} : entry.details,
    seq: entry.seq,
    hash: entry.hash?.toString('hex') ?? null,
  };
}
