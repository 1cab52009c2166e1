import { z } from 'zod';
import { openObject } from '@postmesh/contracts';

// Bounds the depth of every recursion over the JSON.
const MAX_DEPTH = 64;

/** Values of template variables in a request: any JSON (spec 2-messages §4 rule 2). */
export const Substitutions = openObject(z.unknown()).refine((values) => !isDeeperThan(values, MAX_DEPTH), {
  message: `substitutions must be nested at most ${MAX_DEPTH} levels deep`,
});
export type Substitutions = z.infer<typeof Substitutions>;

/** Numbers are returned and rendered with the digits of the request (spec 2-messages §1.5). */
export const SUBSTITUTION_RULES = { exactNumbersIn: ['substitutions'] };

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(inner, depth - 1));
}

/** A reason for which a template or campaign cannot be sent in its present state. */
export const Issue = z
  .object({ code: z.string(), message: z.string() })
  .meta({ id: 'Issue', description: 'What keeps it from being sent, or from being shown as it is meant.' });
export type Issue = z.infer<typeof Issue>;

/** `POST …/preview` of a template or a campaign (spec 2-messages §6.5, spec 3-marketing §3.2). */
export const MessagePreview = z
  .object({
    object: z.literal('message_preview'),
    subject: z.string(),
    html: z.string().nullable().meta({ description: 'With its preview text; null where there is none.' }),
    text: z.string().nullable(),
    headers: z
      .record(z.string(), z.array(z.string()))
      .meta({ description: 'Without those that a message gets when it is sent, such as Date.' }),
    issues: z.array(Issue).meta({ description: 'Empty when the message could be sent so.' }),
  })
  .meta({ id: 'MessagePreview', description: 'The message to one recipient, which is not sent.' });
export type MessagePreview = z.infer<typeof MessagePreview>;

/** The recipient of a preview that names none, in a domain reserved by RFC 2606. */
export const PREVIEW_RECIPIENT = 'recipient@example.com';
