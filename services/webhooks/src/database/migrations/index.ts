import { CreateToldReceptions1764000000501 } from './create-told-receptions.js';
import { CreateWebhooks1764000000500 } from './create-webhooks.js';

/** Forward only, oldest first. */
export const MIGRATIONS = [CreateWebhooks1764000000500, CreateToldReceptions1764000000501] as const;
