import { z } from 'zod';

/** Types only; what a value may be is decided where the account is known (create-domain.rules.ts). */
export const CreateDomainBody = z.object({
  domain: z.string(),
  dkim_private_key: z.string().nullish(),
  tracking_subdomain: z.string().nullish(),
  return_path_subdomain: z.string().nullish(),
  subscription_subdomain: z.string().nullish(),
  media_subdomain: z.string().nullish(),
  dkim_rotation_interval_days: z.number().int().min(1).max(365).nullish(),
  dkim_selector: z.string().nullish(),
  // null and "" are refused here, unlike elsewhere (spec 1-platform §11.3)
  sending_type: z.enum(['transactional', 'marketing']).optional(),
});
export type CreateDomainBody = z.infer<typeof CreateDomainBody>;
