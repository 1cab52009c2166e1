import { z } from 'zod';
import { slowness } from './linear-pattern.rules.js';
import { BounceClass, ReplyKind, ReplyShape } from './reply.js';

/** Twelve hours: a longer limit is a block, and an operator has to act. */
const MAX_SUSPENSION_SECONDS = 43_200;

/** A pattern that is applied to hostile texts: its time is linear in their length. Letter case is ignored. */
export const linearPattern = z
  .string()
  .min(2)
  .superRefine((source, context) => {
    const why = slowness(source);
    if (why !== undefined) context.addIssue({ code: 'custom', message: `the pattern ${source} ${why}` });
  })
  .transform((source) => new RegExp(source, 'i'));

/** `<code> [<enhanced code>] <text>`; the code 0 is our own text. */
const sample = z.string().regex(/^(?:0|[45]\d\d) (?:[45]\.\d{1,3}\.\d{1,3} )?\S/);

const shape = ReplyShape.refine(
  ({ do: what, forSeconds }) => what !== 'suspend' || forSeconds !== undefined,
  'a suspension needs its time',
).refine(
  ({ forSeconds = 0, longestSeconds = MAX_SUSPENSION_SECONDS }) =>
    forSeconds <= longestSeconds && longestSeconds <= MAX_SUSPENSION_SECONDS,
  'it lasts twelve hours at most, and its first time is not longer than its longest',
);

const enhancedCodes = z.array(z.string().regex(/^\d{1,3}\.(?:\d{1,3}(?:-\d{1,3})?|\*)$/)).min(1);

/** One row of the table. It applies when all of its conditions hold. */
export const ReplyRow = z
  .strictObject({
    /** used in logs and in docs/replies.md */
    id: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
    /** only for replies of hosts of these providers */
    provider: z
      .array(z.string().regex(/^[a-z0-9-]+$/))
      .min(1)
      .optional(),
    codes: z.array(z.number().int().min(400).max(599)).min(1).optional(),
    /** subject and detail of the enhanced status code (RFC 3463), as `1.1`; a range of details as `7.20-26`; `5.*` */
    enhanced: enhancedCodes.optional(),
    /** the row does not apply to these, written like `enhanced`: their codes are clear */
    unless: enhancedCodes.optional(),
    says: linearPattern.optional(),
    only: z.enum(['temporary', 'permanent']).optional(),
    kind: ReplyKind,
    /** for replies whose code and kind name no class */
    class: BounceClass.optional(),
    shape: shape.optional(),
    /** whether it shapes for temporary replies only; a permanent one with the same text is about one message */
    shapesOnly: z.literal('temporary').optional(),
    /** the source: a standard, a provider's page, or another one */
    because: z.string().min(6),
    /** a reply that this row decides, the whole table in force */
    sample,
    /** a similar reply that another row decides */
    not: sample,
  })
  .refine((row) => row.shapesOnly === undefined || row.shape !== undefined, 'there is no shape to limit');
export type ReplyRow = z.output<typeof ReplyRow>;

const rows = z.array(ReplyRow).min(1);
const rowsToTheEnd = rows.refine((list) => {
  const { codes, enhanced, says, only } = list.at(-1) ?? {};
  return [codes, enhanced, says, only].every((condition) => condition === undefined);
}, 'the last row has a condition');
const hasWords = (list: ReplyRow[]) => list.every(({ says }) => says !== undefined);

/** The steps of a decision, in their order; the first row of the first step decides. */
export const ReplyTable = z
  .strictObject({
    /** our own texts, which have the code 0 */
    own: rowsToTheEnd,
    /** rows of the provider whose host replied */
    provider: rows.refine((list) => list.every(({ provider }) => provider !== undefined), 'whose row is it?'),
    /** texts that decide before any code; reputation comes before mailboxes */
    sure: rows.refine(hasWords, 'no words'),
    /** enhanced status codes */
    codes: rows,
    /** texts that decide where the enhanced code is missing or vague (x.0.0, x.2.0, x.3.0, x.5.0) */
    vague: rows.refine(hasWords, 'no words'),
    /** the rest: bare codes, then everything */
    rest: rowsToTheEnd,
  })
  .refine(
    (table) => {
      const ids = Object.values(table).flatMap((list) => list.map(({ id }) => id));
      return new Set(ids).size === ids.length;
    },
    { error: 'two rows have the same id' },
  );
export type ReplyTable = z.output<typeof ReplyTable>;

export type ReplyRowInput = z.input<typeof ReplyRow>;
