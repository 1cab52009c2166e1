import { z } from 'zod';

const record = {
  label: z.string(),
  type: z.enum(['TXT', 'CNAME', 'MX']),
  host: z.string().meta({ description: 'Full name, without a dot at the end.' }),
  content: z.string(),
};

/** Reasons for which there is no link. */
export const NO_LINK = [
  'not_configured',
  'nothing_missing',
  'no_dns_host',
  'dns_host_unreachable',
  'template_unknown',
] as const;

export const SetupLink = z
  .object({
    object: z.literal('setup_link'),
    domain: z.string(),
    url: z
      .string()
      .nullable()
      .meta({ description: 'A page of the DNS host, which asks for consent and publishes the records.' }),
    reason: z.enum(NO_LINK).nullable().meta({ description: 'The reason why there is no link.' }),
    dns_host: z.string().nullable().meta({ description: 'The DNS host as it calls itself.' }),
    zone: z.string().nullable().meta({ description: 'The zone that the domain is in.' }),
    changes: z
      .array(
        z.object({
          ...record,
          found: z
            .string()
            .nullable()
            .meta({ description: 'The record that the last check found in its place.' }),
        }),
      )
      .meta({ description: 'The records that the link publishes.' }),
    by_hand: z
      .array(z.object(record))
      .meta({ description: 'Missing records that the link does not publish.' }),
  })
  .meta({ id: 'SetupLink', description: 'A link that publishes the missing records of a domain.' });
export type SetupLink = z.infer<typeof SetupLink>;
