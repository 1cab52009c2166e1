import { dialectOf, WEBHOOK_DIALECT_NAMES } from '@postmesh/webhook-dialects';
import { z } from 'zod';
import { DIALECT_SECRETS, type WebhookEntity } from '../database/webhook.entity.js';

const MAX_SECRET = 200;

const dialect = z.enum(WEBHOOK_DIALECT_NAMES).nullable().meta({
  description: 'The service whose form the calls have; null: our own.',
  example: 'resend',
});
const publicKey = z.string().nullable().meta({
  description: 'Verifies calls, where the dialect has a key pair: SubjectPublicKeyInfo in base64.',
  example: null,
});

export const DialectBody = z.object({
  dialect,
  secret: z.string().max(MAX_SECRET).nullish().meta({
    description: 'The secret that the receiver has already. Left out: a new one is made.',
  }),
});
export type DialectBody = z.infer<typeof DialectBody>;

export const WebhookDialectResource = z
  .object({ object: z.literal('webhook_dialect'), webhook_id: z.uuid(), dialect, public_key: publicKey })
  .meta({ id: 'WebhookDialect', description: 'The form of the calls of a webhook.' });

export const NewWebhookDialectResource = WebhookDialectResource.extend({
  secret: z.string().nullable().meta({
    description: 'Signs every call. Shown only in this response; null where calls are not signed with one.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  }),
}).meta({ id: 'NewWebhookDialect', description: 'The form of the calls of a webhook, with its secret.' });

/** @param secret opened; null where there is none */
export function dialectResource(
  { id, dialect: name }: Pick<WebhookEntity, 'id' | 'dialect'>,
  secret: string | null,
): z.infer<typeof WebhookDialectResource> {
  const publicKeyOf = name === null ? undefined : dialectOf(name).secrets?.publicKeyOf;
  return {
    object: 'webhook_dialect',
    webhook_id: id,
    dialect: name,
    public_key: publicKeyOf && secret !== null ? publicKeyOf(secret) : null,
  };
}

/** A private key is not shown: receivers need its public key. */
export const shownSecret = (
  { dialect: name }: Pick<WebhookEntity, 'dialect'>,
  secret: string | null,
): string | null => (name !== null && dialectOf(name).secrets?.publicKeyOf ? null : secret);

export const aboutSecret = (webhookId: string): string => DIALECT_SECRETS.about(webhookId);
