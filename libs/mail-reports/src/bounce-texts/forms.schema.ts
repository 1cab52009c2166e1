import { z } from 'zod';
import { BounceClass, linearPattern, ReplyKind } from '@postmesh/smtp-replies';

/** What has to hold of a message, all of it. */
const Condition = z
  .strictObject({
    from: linearPattern.optional(),
    subject: linearPattern.optional(),
    /** in lower case; `x-ms-exchange-*` is any that begins so */
    header: z
      .string()
      .regex(/^[a-z0-9-]+\*?$/)
      .optional(),
    /** of that header */
    says: linearPattern.optional(),
    /** a field of the status part */
    statusField: z
      .string()
      .regex(/^[a-z0-9-]+\*?$/)
      .optional(),
    /** of the whole multipart */
    boundary: linearPattern.optional(),
    /** in what the writer says, our own message and quoted lines cut off, unless they begin with it */
    text: linearPattern.optional(),
  })
  .refine((condition) => Object.values(condition).some((each) => each !== undefined), 'fits everything')
  .refine(({ header, says }) => says === undefined || header !== undefined, 'which header says it?');
export type Condition = z.output<typeof Condition>;

/** How the writers of one kind report what they could not deliver. */
export const Form = z.strictObject({
  /** stands in reports, logs and docs/reports.md */
  id: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  /** who writes it */
  writer: z.string().min(3),
  /** one of them is enough */
  when: z.array(Condition).min(1),
  action: z.enum(['failed', 'delayed']).default('failed'),
  /** the recipient is the first address behind one of these words, tried in order; else in the whole text */
  recipientAfter: z.array(linearPattern).default([]),
  /**
   * `behind-words` the paragraph behind one of `reasonAfter`; `below-address` what follows the address, in its line and
   * below it; `code` the paragraph with the first reply code; `subject` of the message. The first one that finds
   * something
   */
  reason: z.array(z.enum(['behind-words', 'below-address', 'code', 'subject'])).default(['below-address']),
  reasonAfter: z.array(linearPattern).default([]),
  /** what it is about, whatever the codes say; `unless-known`: only where they say nothing */
  about: z
    .strictObject({
      kind: ReplyKind,
      class: BounceClass,
      over: z.enum(['always', 'unless-known']),
    })
    .optional(),
  /** names of golden samples */
  samples: z.array(z.string()).min(1),
});
export type Form = z.output<typeof Form>;
export type FormInput = z.input<typeof Form>;
