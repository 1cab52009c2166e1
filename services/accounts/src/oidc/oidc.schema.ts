import { z } from 'zod';
import { SessionResource } from '../sessions/session.schema.js';
import { Page } from '../sign-in/sign-in.schema.js';

export const OidcStartBody = z.object({ to: Page.optional() });
export type OidcStartBody = z.infer<typeof OidcStartBody>;

const MAX_RESPONSE = 12_000;

export const OidcResponseBody = z.object({
  response: z.string().min(1).max(MAX_RESPONSE).meta({
    description: 'The query of the address to which the provider has sent the browser: `code=…&state=…`.',
  }),
});
export type OidcResponseBody = z.infer<typeof OidcResponseBody>;

export const OidcStart = z
  .object({ url: z.url() })
  .meta({ id: 'OidcStart', description: 'The page of the provider that the browser opens next.' });

export const OidcSignIn = z
  .object({
    session: SessionResource,
    to: z.string().nullable().meta({ description: 'The page that was asked for: a path below `/console`.' }),
  })
  .meta({ id: 'OidcSignIn', description: 'The session that has begun, and where it leads.' });

export const SignInWays = z
  .object({
    oidc: z
      .object({
        name: z.string().meta({ description: 'For the button.' }),
        only: z.boolean().meta({ description: 'Whether addresses of its domains have no other way in.' }),
      })
      .nullable()
      .meta({ description: 'The OpenID Connect provider; null: none.' }),
  })
  .meta({ id: 'SignInWays', description: 'The ways in, in addition to links and passkeys.' });
