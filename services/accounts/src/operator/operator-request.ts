import { ApiErrors, Uuid } from '@postmesh/contracts';
import type { Actor } from '../audit/audit-log.js';

/** @throws ApiError 400 `invalid account_id` */
export function readAccountId(text: string): string {
  const parsed = Uuid.safeParse(text);
  if (!parsed.success) throw ApiErrors.invalidParameter('account_id');
  return parsed.data;
}

export const operatorActor = (name: string): Actor => ({ kind: 'operator', id: name });
