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
] as const;

export const Stream = z.enum(STREAMS);
export type Stream = z.infer<typeof Stream>;

/** Events of one key keep their order in one partition; there are more partitions than workers, for later growth. */
export const PARTITIONS_PER_STREAM = 12;
