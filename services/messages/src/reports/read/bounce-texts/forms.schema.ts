import { z } from 'zod';
import { BounceClass, linearPattern, ReplyKind } from '@postmesh/smtp-replies';

/** The conditions on a message, all of which must hold. */
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
    /** in the writer's text, without our own message and quoted lines, unless they come first */
    text: linearPattern.optional(),
  })
  .refine((condition) => Object.values(condition).some((each) => each !== undefined), 'fits everything')
  .refine(({ header, says }) => says === undefined || header !== undefined, 'which header says it?');
export type Condition = z.output<typeof Condition>;

/** The form in which one kind of writer reports failures. */
export const Form = z.strictObject({
  /** used in reports, logs and docs/reports.md */
  id: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  /** the program or service that writes it */
  writer: z.string().min(3),
  /** one of them is sufficient */
  when: z.array(Condition).min(1),
  action: z.enum(['failed', 'delayed']).default('failed'),
  /** the recipient is the first address after one of these texts, tried in order; else in the whole text */
  recipientAfter: z.array(linearPattern).default([]),
  /**
   * `behind-words` the paragraph after one of `reasonAfter`; `below-address` the text after the address, in its line
   * and below it; `code` the paragraph with the first reply code; `subject` of the message. The first one with a
   * result
   * something
   */
  reason: z.array(z.enum(['behind-words', 'below-address', 'code', 'subject'])).default(['below-address']),
  reasonAfter: z.array(linearPattern).default([]),
  /** its subject, before any code; `unless-known`: only where the codes are vague */
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
