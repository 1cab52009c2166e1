import { z } from 'zod';

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

/** Events of one key stay in order inside one partition; more partitions than workers leave room to grow. */
export const PARTITIONS_PER_STREAM = 12;
