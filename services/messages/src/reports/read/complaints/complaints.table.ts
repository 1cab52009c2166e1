import { z } from 'zod';
import { linearPattern } from '@postmesh/smtp-replies';

const { raw } = String;

/** The form of one reporter of complaints. */
const ComplaintForm = z.strictObject({
  /** used in reports, logs and docs/reports.md */
  id: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  /** the program or service that writes it */
  reporter: z.string().min(3),
  /** the mailbox provider of those who complain, as statistics name it; missing: it is not one of ours to count by */
  provider: z.string().optional(),
  from: linearPattern.optional(),
  subject: linearPattern.optional(),
  /** of the message or of the enclosed one, in lower case */
  header: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .optional(),
  /** of the feedback fields */
  userAgent: linearPattern.optional(),
  /** `fields` a part with the fields of RFC 5965; `text` the same fields at the start of a text; `message` none */
  has: z.enum(['fields', 'text', 'message']),
  /** where the fields have none */
  feedbackType: z.string().default('abuse'),
  /** header of the enclosed message that names the recipient, where the fields do not */
  recipientIn: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .optional(),
  /** how the message is found */
  foundBy: z.string().min(3),
  /** names of golden samples */
  samples: z.array(z.string()).min(1),
});
export type ComplaintForm = z.output<typeof ComplaintForm>;

/** In their order; the first that matches names the form. */
export const COMPLAINT_FORMS: readonly ComplaintForm[] = z.array(ComplaintForm).parse([
  {
    id: 'yahoo',
    reporter: 'Yahoo, per DKIM domain',
    provider: 'yahoo',
    from: raw`@arf\.mail\.yahoo\.`,
    has: 'fields',
    foundBy: 'tokens in the full headers',
    samples: ['arf-yahoo'],
  },
  {
    id: 'comcast',
    reporter: 'Comcast: multipart/mixed, parts in base64, recipient hashed',
    from: raw`@[a-z0-9.-]{0,60}comcast\.`,
    has: 'fields',
    foundBy: 'tokens in the headers',
    samples: ['arf-comcast'],
  },
  {
    id: 'jmrp',
    reporter: 'Microsoft JMRP: ARF, recipient masked, headers without a body',
    from: raw`\bstaff@hotmail\.`,
    has: 'fields',
    foundBy: 'CFBL-Address, Message-ID, List-Unsubscribe',
    samples: ['arf-jmrp-new'],
  },
  {
    id: 'jmrp-old',
    reporter: 'Microsoft JMRP until June 2026: the message alone',
    from: raw`\bstaff@hotmail\.`,
    subject: 'complaint about message from',
    has: 'message',
    recipientIn: 'x-hmxmroriginalrecipient',
    foundBy: 'tokens; X-HmXmrOriginalRecipient',
    samples: ['arf-jmrp-old'],
  },
  {
    id: 'validity',
    reporter: 'Validity for many providers, recipient missing or redacted',
    userAgent: raw`return ?path|validity`,
    has: 'fields',
    foundBy: 'tokens',
    samples: ['arf-validity'],
  },
  {
    id: 'apple-unsubscribe',
    reporter: 'Apple Mail: a wish to leave the list, no complaint',
    header: 'x-apple-unsubscribe',
    has: 'message',
    feedbackType: 'opt-out',
    foundBy: 'tokens, List-Unsubscribe',
    samples: ['apple-unsubscribe'],
  },
  {
    id: 'arf',
    reporter: 'anybody who writes RFC 5965',
    has: 'fields',
    foundBy: 'tokens, Message-ID',
    samples: ['arf-abuse', 'arf-fraud', 'arf-not-spam', 'arf-auth-failure', 'arf-headers-only', 'arf-base64'],
  },
  {
    id: 'fields-in-text',
    reporter: 'look-alikes that write the fields as a text',
    has: 'text',
    foundBy: 'tokens, Message-ID',
    samples: ['arf-in-text'],
  },
]);
