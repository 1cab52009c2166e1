import { z } from 'zod';
import { parseEmailAddress } from '@postmesh/mail-format';

/** An address in any spelling; no check says whether it is known. */
export const SignInLinkBody = z.object({
  email: z
    .string()
    .max(320)
    .refine((text) => parseEmailAddress(text).ok, 'email is not a valid email address')
    .meta({ format: 'email', maxLength: 254 }),
});
export type SignInLinkBody = z.infer<typeof SignInLinkBody>;

export const SignInBody = z.object({
  token: z.string().min(1).max(200).meta({ description: 'The part of the link behind `#`.' }),
});
export type SignInBody = z.infer<typeof SignInBody>;
