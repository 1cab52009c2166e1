import { z } from 'zod';
import { pageOf, Timestamp, type BodyRules } from '@postmesh/contracts';
import { textField } from '../account/text-field.js';
import type { SmtpCredentialEntity } from './smtp-credential.entity.js';

// One row per domain; senders with more domains use a global credential.
export const MAX_DOMAINS = 1_000;

const scope = z.enum(['global', 'scoped']).meta({
  description: '`global`: sends from every domain of the account; `scoped`: from the listed ones.',
});

/**
 * Fields in the order in which errors are reported. The domains of a global credential are ignored, so their items are
 * read by `namedDomains`, which knows the scope.
 */
export const CreateSmtpCredentialBody = z.object({
  name: textField('name', { min: 1, max: 255, trimmed: true }),
  scope,
  sandbox: z
    .boolean()
    .nullish()
    .meta({ description: 'Every message through it is simulated, nothing is delivered.' }),
  domains: z
    .array(z.unknown())
    .max(MAX_DOMAINS)
    .nullish()
    .meta({
      items: { type: 'string', 'x-lenient': true },
      description: 'Domains of the account. Needed when `scoped`, ignored when `global`.',
    }),
});
export type CreateSmtpCredentialBody = z.infer<typeof CreateSmtpCredentialBody>;

export const SMTP_CREDENTIAL_BODY_RULES: BodyRules = {
  readOnly: ['object', 'id', 'created_at', 'updated_at', 'username', 'password'],
};

/** The public form (spec 1-platform §12). */
export const SmtpCredentialResource = z
  .object({
    object: z.literal('credential_smtp'),
    id: z.uuid(),
    created_at: Timestamp,
    updated_at: Timestamp,
    name: z.string(),
    username: z.string().meta({ description: 'The user name that a client logs in with.' }),
    sandbox: z.boolean(),
    scope: z.enum(['global', 'scoped']),
    domains: z
      .array(z.string())
      .meta({ description: 'Empty for a global one, and for a scoped one whose domains were all deleted.' }),
  })
  .meta({ id: 'SmtpCredential', description: 'A login for submission over SMTP, without its password.' });
export type SmtpCredentialResource = z.infer<typeof SmtpCredentialResource>;

/** The response of create, the only one with the password. */
export const NewSmtpCredential = SmtpCredentialResource.extend({
  password: z.string().meta({ description: 'It is shown only here.' }),
}).meta({ id: 'NewSmtpCredential', description: 'A new login for submission with its password.' });
export type NewSmtpCredential = z.infer<typeof NewSmtpCredential>;

export const SmtpCredentialPage = pageOf(SmtpCredentialResource);

export function smtpCredentialResource(credential: SmtpCredentialEntity): SmtpCredentialResource {
  return {
    object: 'credential_smtp',
    id: credential.id,
    created_at: credential.createdAt.toISOString(),
    updated_at: credential.updatedAt.toISOString(),
    name: credential.name,
    username: credential.username,
    sandbox: credential.sandbox,
    scope: credential.scope,
    domains: domainNames(credential),
  };
}

/** Domain names in the order of the request. */
export const domainNames = ({ domains }: Pick<SmtpCredentialEntity, 'domains'>): string[] =>
  domains.toSorted((a, b) => a.position - b.position).map(({ domain }) => domain);
