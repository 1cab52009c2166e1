import { z } from 'zod';

/** `POST /internal/audit` of the accounts service: a deed of the operator in a service that keeps no audit itself. */
export const AuditNote = z.object({
  /** `operator` or the name of the operator token */
  operator: z.string().min(1).max(64),
  /** e.g. `PUT domains/accounts/{account_id}/settings` */
  action: z.string().min(1).max(200),
  account_id: z.uuid().nullable(),
  subject_id: z.string().max(200).nullable(),
  details: z.record(z.string(), z.unknown()),
});
export type AuditNote = z.infer<typeof AuditNote>;

/** The entry of the note; how the deed ended follows with `POST /internal/audit/{id}/outcome`. */
export const AuditNoteResponse = z.object({ id: z.uuid() });
export type AuditNoteResponse = z.infer<typeof AuditNoteResponse>;

/** The HTTP status of the deed's answer. Until it is known the entry has `status: null` in its details. */
export const AuditOutcome = z.object({ status: z.number().int().min(100).max(599) });
export type AuditOutcome = z.infer<typeof AuditOutcome>;
