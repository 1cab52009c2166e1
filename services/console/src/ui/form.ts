import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useForm, type DefaultValues, type FieldValues, type UseFormReturn } from 'react-hook-form';
import * as z from 'zod/mini';

// zod would otherwise try to compile its parsers, which the policy of the page refuses
z.config({ jitless: true });

export { z };

/** A form that is checked by a schema before it is sent, and again by the server. */
export function useSchemaForm<T extends FieldValues>(
  schema: z.ZodMiniType<T, T>,
  defaultValues: DefaultValues<T>,
): UseFormReturn<T, unknown, T> {
  return useForm<T, unknown, T>({ resolver: standardSchemaResolver(schema), defaultValues });
}
