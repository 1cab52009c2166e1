import { z } from 'zod';
import { normaliseDomain } from '@postmesh/contracts';

const label = (longest: number) =>
  z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/)
    .max(longest)
    .nullable();
const host = z
  .string()
  .transform((text, context) => {
    const name = normaliseDomain(text);
    if (name === undefined) context.addIssue({ code: 'custom', message: 'is no host name' });
    return name ?? z.NEVER;
  })
  .nullable();

/** What an operator may set for the domains of one account; null = the installation's default again. */
export const AccountSettingsBody = z
  .object({
    dns_mode: z.enum(['managed', 'manual']).nullable(),
    domain_limit: z.number().int().min(0).max(1_000_000).nullable(),
    return_path_satisfies_spf: z.boolean(),
    dkim_selector: label(62),
    dkim_rotation_days: z.number().int().min(1).max(365).nullable(),
    tracking_subdomain: label(63),
    return_path_subdomain: label(63),
    subscription_subdomain: label(63),
    media_subdomain: label(63),
    spf_host: host,
    return_path_host: host,
    tracking_host: host,
    mx_host: host,
  })
  .partial();
