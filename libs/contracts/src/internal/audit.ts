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
