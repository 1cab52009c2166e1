import { CreateDeletedAccounts1764000000502 } from './create-deleted-accounts.js';
import { CreateToldReceptions1764000000501 } from './create-told-receptions.js';
import { CreateWebhooks1764000000500 } from './create-webhooks.js';

/** Forward only, oldest first. */
export const MIGRATIONS = [
  CreateWebhooks1764000000500,
  CreateToldReceptions1764000000501,
  CreateDeletedAccounts1764000000502,
] as const;
