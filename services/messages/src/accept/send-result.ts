import { z } from 'zod';
import { listOf } from '@postmesh/contracts';
import type { RecipientBody, ScheduleBody } from './conversation.schema.js';

/** One element per recipient of a send (spec 2-messages §1.5). */
export const SendResult = z
  .object({
    object: z.literal('message'),
    id: z.string().nullable().meta({
      description: 'The Message-ID, with angle brackets; null when nothing is sent to this recipient.',
    }),
    recipient: z.object({
      email: z.string().meta({ description: 'Trimmed, in lower case, the domain as A-labels.' }),
      name: z.string(),
      substitutions: z.record(z.string(), z.unknown()).optional(),
    }),
    status: z.enum(['queued', 'scheduled', 'error']),
    error: z
      .string()
      .optional()
      .meta({ description: 'Why nothing is sent to this recipient. Left out for the others.' }),
    schedule: z
      .object({ first_attempt: z.string().nullish(), expires: z.string().nullish() })
      .optional()
      .meta({ description: 'As it was given; left out when there was none.' }),
  })
  .meta({ id: 'SendResult', description: 'What became of one recipient of a send.' });
export type SendResult = z.infer<typeof SendResult>;

export const SendResponse = listOf(SendResult);
export type SendResponse = z.infer<typeof SendResponse>;

interface Told {
  email: string;
  name: string;
  given: RecipientBody;
  error: string | undefined;
  messageId: string;
  schedule: ScheduleBody | null | undefined;
}

export function toSendResult({ email, name, given, error, messageId, schedule }: Told): SendResult {
  return {
    object: 'message',
    id: error === undefined ? messageId : null,
    recipient: { email, name, ...(given.substitutions ? { substitutions: given.substitutions } : {}) },
    status: error === undefined ? (schedule?.first_attempt ? 'scheduled' : 'queued') : 'error',
    ...(error === undefined ? {} : { error }),
    ...(schedule ? { schedule } : {}),
  };
}
