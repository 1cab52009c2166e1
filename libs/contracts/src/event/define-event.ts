import { z } from 'zod';
import { Poison } from '../failure.js';
import { newId } from '../ids.js';
import { Stream } from './streams.js';

/** The form of every event on the bus. Consumers ignore unknown fields. */
export const EventEnvelope = z.object({
  id: z.string(),
  type: z.string(),
  version: z.number().int().positive(),
  occurred_at: z.string(),
  stream: Stream,
  key: z.string(),
  account_id: z.string().nullable(),
  trace: z.string().nullable(),
  /** name of a service: no other one handles the event, though it consumes such events (decision 108) */
  only_for: z.string().optional(),
  data: z.unknown(),
});
export type EventEnvelope<T = unknown> = Omit<z.infer<typeof EventEnvelope>, 'data'> & { data: T };

/** The envelope of one event with its data parsed: `EventOf<typeof MessageAccepted>`. */
export type EventOf<D extends { parse(envelope: EventEnvelope): unknown }> = ReturnType<D['parse']>;

export interface EventDefinition<T> {
  readonly type: string;
  readonly version: number;
  readonly stream: Stream;
  /** `<type>.v<version>` */
  readonly pattern: string;
  readonly schema: z.ZodType<T>;
  readonly examples: readonly T[];
  /** @throws ZodError when the data does not match the schema: a bug of the producer */
  make(
    data: T,
    about: { account_id: string | null; trace?: string | null; occurred_at?: Date; only_for?: string },
  ): EventEnvelope<T>;
  /** @throws Poison when the data does not match the schema */
  parse(envelope: EventEnvelope): EventEnvelope<T>;
}

/**
 * Declares one version of one event. Within a version only optional fields may be added;
 * any other change is a new version in a file of its own.
 * @param spec.key id of the aggregate: events with the same key keep their order
 */
export function defineEvent<S extends z.ZodObject>(spec: {
  type: string;
  version: number;
  stream: Stream;
  data: S;
  key: (data: z.infer<S>) => string;
  examples: readonly z.infer<S>[];
}): EventDefinition<z.infer<S>> {
  type T = z.infer<S>;
  const pattern = `${spec.type}.v${spec.version}`;
  // created once: zod compiles a parser per schema object
  const strict = spec.data.strict();
  return {
    type: spec.type,
    version: spec.version,
    stream: spec.stream,
    pattern,
    schema: spec.data as unknown as z.ZodType<T>,
    examples: spec.examples,
    make: (data, about) => ({
      id: newId(),
      type: spec.type,
      version: spec.version,
      occurred_at: (about.occurred_at ?? new Date()).toISOString(),
      stream: spec.stream,
      key: spec.key(data),
      account_id: about.account_id,
      trace: about.trace ?? null,
      ...(about.only_for ? { only_for: about.only_for } : {}),
      // last: a reader parses what is before it first
      data: strict.parse(data) as T,
    }),
    parse: (envelope) => {
      const parsed = spec.data.safeParse(envelope.data);
      if (!parsed.success) throw new Poison(`${pattern}: ${z.prettifyError(parsed.error)}`);
      return { ...envelope, data: parsed.data as T };
    },
  };
}
