import { Permanent, Poison } from '@postmesh/contracts';
import type { z } from 'zod';
import type { JobDefinition } from './define-job.js';

/**
 * Checks what a producer gives. What is stored is the input as JSON, since the output of a schema may
 * hold things that JSON does not (dates).
 * @throws Permanent when it does not fit the schema or cannot be stored
 */
export function checkedPayload<P extends z.ZodType>(
  definition: JobDefinition<P>,
  payload: z.input<P>,
): { stored: z.input<P>; output: z.output<P> } {
  const parsed = definition.payload.safeParse(payload);
  if (!parsed.success) throw new Permanent(`payload of ${label(definition)}: ${parsed.error.message}`);
  // PostgreSQL's jsonb has no NUL; refused on every backend, so that both behave alike
  if (JSON.stringify(payload ?? null).includes('\\u0000')) {
    throw new Permanent(`payload of ${label(definition)} holds a NUL character`);
  }
  return { stored: payload, output: parsed.data };
}

/** @throws Poison when what was stored does not fit the schema (any more) */
export function storedPayload<P extends z.ZodType>(
  definition: JobDefinition<P>,
  stored: unknown,
): z.output<P> {
  const parsed = definition.payload.safeParse(stored);
  if (!parsed.success) throw new Poison(`payload of ${label(definition)}: ${parsed.error.message}`);
  return parsed.data;
}

export const label = (definition: Pick<JobDefinition, 'queue' | 'name'>): string =>
  `${definition.queue}.${definition.name}`;
