import { z } from 'zod';
import { parseEmailAddress } from '@postmesh/mail-format';

/** A path that no browser takes for the address of a host. */
const PAGE = /^\/(?![/\\])[^\\#\s]*$/;

/** The page that a sign-in leads to. */
export const Page = z
  .string()
  .refine((text) => text.length <= 500 && PAGE.test(text), 'to is not a path of the console')
  .meta({
    description: 'The page that the sign-in leads to: a path below `/console`.',
    maxLength: 500,
  });

/** An address in any spelling; no check says whether it is known. */
export const SignInLinkBody = z.object({
  email: z
    .string()
    .max(320)
    .refine((text) => parseEmailAddress(text).ok, 'email is not a valid email address')
    .meta({ format: 'email', maxLength: 254 }),
  to: Page.optional(),
});
export type SignInLinkBody = z.infer<typeof SignInLinkBody>;

export const SignInBody = z.object({
  token: z.string().min(1).max(200).meta({ description: 'The part of the link behind `#`.' }),
});
export type SignInBody = z.infer<typeof SignInBody>;
