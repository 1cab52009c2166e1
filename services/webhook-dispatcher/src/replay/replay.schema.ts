import { z } from 'zod';
import { listOf, Timestamp } from '@postmesh/contracts';

const Time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

const Wanted = z.object({
  kind: z.enum(['recover', 'all']).meta({
    description: '`recover`: events that have not succeeded; `all`: also those that have succeeded.',
  }),
  since: Time.meta({ format: 'date-time', description: 'Events at this time or later.' }),
  event_type: z.string().max(100).optional(),
});

/** A requested replay of an endpoint: its missed events since a time, or all events since then. */
export const ReplayWanted = Wanted.extend({ endpoint_id: z.uuid() }).strict();
export type ReplayWanted = z.infer<typeof ReplayWanted>;

/** The same by a member: the endpoint is in the path. */
export const ReplayBody = Wanted;
export type ReplayBody = z.infer<typeof ReplayBody>;

export interface ReplayRow {
  replay_id: string;
  target: 'webhook' | 'route';
  endpoint_id: string;
  kind: 'recover' | 'all';
  event_type: string | null;
  since: Date;
  until: Date | null;
  state: 'waiting' | 'running' | 'done' | 'stopped';
  pass: number;
  replayed: number;
  skipped: number;
  created_at: Date;
  finished_at: Date | null;
  /** of one replay only */
  pending?: number;
  succeeded?: number;
}

export const EndpointReplay = z
  .object({
    object: z.literal('endpoint_replay'),
    id: z.uuid(),
    endpoint_id: z.uuid(),
    kind: z.enum(['recover', 'all']),
    event_type: z.string().nullable().meta({ example: null }),
    since: Timestamp,
    state: z.enum(['waiting', 'running', 'done', 'stopped']).meta({
      description:
        '`waiting`: a recovery that begins when the running replay is done; `stopped`: its endpoint was disabled or deleted meanwhile.',
    }),
    replayed: z.number().int().meta({ description: 'Deliveries made again so far.' }),
    skipped: z
      .number()
      .int()
      .meta({ description: 'Deliveries whose body was not kept, or that waited already.' }),
    pending: z.number().int().nullable().meta({
      description: 'Repeated deliveries of the endpoint that wait, up to 5,000. null in a list.',
    }),
    succeeded: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'The calls made again that succeeded. null in a list.' }),
    created_at: Timestamp,
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: 'EndpointReplay', description: 'The repetition of deliveries, in the background.' });
export const EndpointReplayList = listOf(EndpointReplay);

export const replayResource = (row: ReplayRow): z.infer<typeof EndpointReplay> => ({
  object: 'endpoint_replay',
  id: row.replay_id,
  endpoint_id: row.endpoint_id,
  kind: row.kind,
  event_type: row.event_type,
  since: row.since.toISOString(),
  state: row.state,
  replayed: row.replayed,
  skipped: row.skipped,
  pending: row.pending ?? null,
  succeeded: row.succeeded ?? null,
  created_at: row.created_at.toISOString(),
  finished_at: row.finished_at?.toISOString() ?? null,
});
