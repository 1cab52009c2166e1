import { Timestamp } from '@postmesh/contracts';
import { DNS_HOST_NAMES } from '@postmesh/settings';
import { z } from 'zod';
import type { DnsHostToken } from '../database/entities.js';
import { digestOf, CONFLICTS, STEPS } from './dns-changes.rules.js';
import { HOST_TROUBLES } from './hosts/dns-host.port.js';
import type { Difference } from './publish-records.js';

const secret = z.string().regex(/^[\x21-\x7e]{1,500}$/, 'must be 1 to 500 visible characters');

export const TokenBody = z.object({
  zone: z.string().max(253).meta({ description: 'Name of the zone at the host.' }),
  host: z.enum(DNS_HOST_NAMES),
  token: secret.meta({
    description:
      'Token with the right to change records of this zone; for Route 53 the secret access key. Never shown again.',
  }),
  access_key_id: z
    .string()
    .regex(/^[A-Za-z0-9]{16,128}$/, 'must be an access key id')
    .optional()
    .meta({ description: 'Route 53 only.' }),
  allow_rotation: z
    .boolean()
    .optional()
    .meta({ description: 'DKIM records are written without a request as well, so that keys rotate.' }),
});
export type TokenBody = z.infer<typeof TokenBody>;

export const RotationBody = z.object({ allow_rotation: z.boolean() });

export const DnsHostResource = z
  .object({
    object: z.literal('dns_host'),
    id: z.uuid(),
    created_at: Timestamp,
    zone: z.string(),
    host: z.enum(DNS_HOST_NAMES),
    access_key_id: z.string().nullable().meta({ description: 'Null where the host has none.' }),
    allow_rotation: z.boolean(),
    rotation_problem: z
      .string()
      .nullable()
      .meta({ description: 'The trouble at the last attempt to write DKIM records without a request.' }),
  })
  .meta({
    id: 'DnsHost',
    description: 'A zone whose records are written at its DNS host. Its token is never shown.',
  });

export const DnsHostList = z.object({ object: z.literal('list'), data: z.array(DnsHostResource) });

export const toDnsHost = (row: DnsHostToken): z.infer<typeof DnsHostResource> => ({
  object: 'dns_host',
  id: row.id,
  created_at: row.createdAt.toISOString(),
  zone: row.zone,
  host: row.host,
  access_key_id: row.accessKeyId,
  allow_rotation: row.allowRotation,
  rotation_problem: row.rotationProblem,
});

export const WriteBody = z.object({
  digest: z.string().max(64).meta({ description: 'The digest of the difference that was looked at.' }),
});

export const DnsChanges = z
  .object({
    object: z.literal('dns_changes'),
    domain: z.string(),
    zone: z
      .string()
      .nullable()
      .meta({ description: 'Null: there is no token for a zone that the domain is in.' }),
    host: z.enum(DNS_HOST_NAMES).nullable(),
    trouble: z
      .enum(HOST_TROUBLES)
      .nullable()
      .meta({ description: 'The reason why the host has not done all.' }),
    detail: z.string().nullable().meta({ description: 'The trouble in the words of the host.' }),
    digest: z
      .string()
      .nullable()
      .meta({ description: 'For the request that writes; null: nothing is to be written.' }),
    written: z.int().meta({ description: 'Number of records that this request has written.' }),
    records: z.array(
      z.object({
        label: z.string(),
        type: z.enum(['TXT', 'CNAME', 'MX']),
        host: z.string().meta({ description: 'Full name, without a dot at the end.' }),
        content: z.string().meta({ description: 'As it will be.' }),
        step: z.enum(STEPS).meta({
          description: '`merged` and `replaced` change a record that is there; `refused` leaves it to you.',
        }),
        found: z.array(z.string()).meta({ description: 'Records in its place.' }),
        reason: z.enum(CONFLICTS).nullable().meta({ description: 'The reason why it is refused.' }),
      }),
    ),
  })
  .meta({
    id: 'DnsChanges',
    description: 'The difference between the records of a domain and those at its DNS host.',
  });

export function toDnsChanges({
  domain,
  token,
  planned,
  trouble,
  written,
}: Difference): z.infer<typeof DnsChanges> {
  return {
    object: 'dns_changes',
    domain,
    zone: token?.zone ?? null,
    host: token?.host ?? null,
    trouble: trouble?.trouble ?? null,
    detail: trouble?.detail ?? null,
    digest: planned.some(({ change }) => change) ? digestOf(planned) : null,
    written,
    records: planned.map(({ record: { label, type, host }, content, step, found, reason }) => ({
      label,
      type,
      host,
      content,
      step,
      found: [...found],
      reason,
    })),
  };
}
