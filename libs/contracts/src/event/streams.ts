import { z } from 'zod';
import type { ServiceName } from '../services.js';

/** One topic per aggregate stream (architecture §3.6). */
export const STREAMS = [
  'messages',
  'deliveries',
  'domains',
  'suppressions',
  'accounts',
  'campaigns',
  'webhook-deliveries',
  'tracking',
] as const;

export const Stream = z.enum(STREAMS);
export type Stream = z.infer<typeof Stream>;

/** The services that consume a stream; `npm run generate` compares it with their consumers. */
export const CONSUMERS_OF: Readonly<Record<Stream, readonly ServiceName[]>> = {
  messages: ['delivery-worker', 'marketing', 'webhooks'],
  deliveries: ['marketing', 'messages', 'webhooks'],
  domains: ['accounts', 'delivery-worker', 'marketing', 'messages', 'webhooks'],
  suppressions: ['delivery-worker', 'webhooks'],
  accounts: ['accounts', 'delivery-worker', 'domains', 'marketing', 'messages', 'webhooks'],
  campaigns: [],
  'webhook-deliveries': ['webhook-dispatcher', 'webhooks'],
  tracking: ['marketing', 'webhooks'],
};

/** Events of one key keep their order in one partition; there are more partitions than workers, for later growth. */
export const PARTITIONS_PER_STREAM = 12;
