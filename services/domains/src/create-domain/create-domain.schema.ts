import { z } from 'zod';

const subdomain = z
  .string()
  .nullish()
  .meta({ description: 'One DNS label of 1-63 letters, digits and hyphens; empty: the default.' });

/** Types only; what a value may be is decided where the account is known (create-domain.rules.ts). */
export const CreateDomainBody = z.object({
  domain: z
    .string()
    .meta({ format: 'idn-hostname', description: 'A fully qualified name, in any spelling.' }),
  dkim_private_key: z.string().nullish().meta({
    description: 'PEM, RSA of 1024 bits and more. Never shown again. For partner accounts only.',
  }),
  tracking_subdomain: subdomain,
  return_path_subdomain: subdomain,
  subscription_subdomain: subdomain,
  media_subdomain: subdomain,
  dkim_rotation_interval_days: z
    .number()
    .int()
    .min(1)
    .max(365)
    .nullish()
    .meta({ description: 'For domains with managed DNS.' }),
  dkim_selector: z
    .string()
    .nullish()
    .meta({ description: 'One DNS label of 1-62 letters, digits and hyphens. For partner accounts only.' }),
  // null and "" are refused here, unlike elsewhere (spec 1-platform §11.3)
  sending_type: z.enum(['transactional', 'marketing']).optional(),
});
export type CreateDomainBody = z.infer<typeof CreateDomainBody>;
