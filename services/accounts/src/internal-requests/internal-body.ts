import type { PipeTransform } from '@nestjs/common';
import { z } from 'zod';
import { ApiError, parseBoundedJson } from '@postmesh/contracts';

/**
 * `@Body(internalBody(KeyLookup)) request`: parses the body of a request between services. Unknown fields are ignored,
 * because the two services may have different releases.
 * @throws ApiError 400 that names the mismatch
 */
export function internalBody<S extends z.ZodType>(schema: S): PipeTransform<unknown, z.infer<S>> {
  return {
    transform: (bytes) => {
      const parsed = schema.safeParse(readJson(bytes));
      if (!parsed.success) throw new ApiError(400, z.prettifyError(parsed.error));
      return parsed.data;
    },
  };
}

function readJson(bytes: unknown): unknown {
  try {
    return parseBoundedJson(Buffer.isBuffer(bytes) ? bytes : '');
  } catch {
    return undefined;
  }
}
