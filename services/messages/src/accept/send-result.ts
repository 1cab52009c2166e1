import { z } from 'zod';
import { listOf } from '@postmesh/contracts';
import type { RecipientBody, ScheduleBody } from './send.schema.js';

/** In the spelling of the request: any form of RFC 3339. */
const time = z.string().meta({ format: 'date-time' });

/** One element per recipient of a send (spec 2-messages §1.5). */
const SendResult = z
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
      .object({ first_attempt: time.nullish(), expires: time.nullish() })
      .optional()
      .meta({ description: 'As it was given; left out when there was none.' }),
  })
  .meta({ id: 'SendResult', description: 'What became of one recipient of a send.' });
type SendResult = z.infer<typeof SendResult>;

export const SendResponse = listOf(SendResult);
export type SendResponse = z.infer<typeof SendResponse>;

/** The result per recipient of a send, in the order of the request; of a conversation in the order to, cc, bcc. */
export interface AcceptedSend {
  recipients: AcceptedRecipient[];
  /** as in the request */
  schedule: ScheduleBody | null | undefined;
}

interface AcceptedRecipient {
  /** with angle brackets */
  messageId: string;
  email: string;
  name: string;
  given: RecipientBody;
  /** the reason why nothing is sent to this recipient */
  error: string | undefined;
}

/** A 400 where no message of the send fits, else the error of the recipient (spec 2-messages §5.4). */
export const TOO_LARGE = 'message size exceeds 20 MiB';

/** The response to a send: one element per recipient. */
export function toSendResponse({ recipients, schedule }: AcceptedSend): SendResponse {
  const status = schedule?.first_attempt ? 'scheduled' : 'queued';
  const echoed = schedule ?? undefined;
  return {
    object: 'list',
    data: recipients.map(({ messageId, email, name, given, error }) => ({
      object: 'message',
      id: error === undefined ? messageId : null,
      recipient: { email, name, substitutions: given.substitutions ?? undefined },
      status: error === undefined ? status : 'error',
      error,
      schedule: echoed,
    })),
  };
}
