import { z } from 'zod';
import { ApiError } from '@postmesh/contracts';
import type { Result } from './dialect.js';

const SendResults = z.object({
  data: z.array(z.object({ id: z.string().nullable(), error: z.string().optional() })),
});

/**
 * @returns the Message-ID of a send without its angle brackets: `<uuid>@<domain>`
 * @throws ApiError 400 when no recipient was accepted: theirs has no result for each
 */
export function messageIdOf({ body }: Result): string {
  const { data } = SendResults.parse(body);
  const id = data.find((each) => each.id !== null)?.id;
  if (id) return id.slice(1, -1);
  throw new ApiError(400, data[0]?.error ?? 'no recipient was accepted');
}

/** @returns the UUID of a message: clients of some services expect one */
export const messageUuidOf = (result: Result): string => messageIdOf(result).split('@', 1)[0] ?? '';
