import { z } from 'zod';

/** `GET /internal/accounts/{account_id}/sub-accounts/{sub_account_id}` of the accounts service; 404 when the account has no such child. */
export const KnownSubAccount = z.object({ account_id: z.uuid(), parent_account_id: z.uuid() });
export type KnownSubAccount = z.infer<typeof KnownSubAccount>;
