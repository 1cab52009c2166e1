import { z } from 'zod';
import { ApiError, listOf, Timestamp } from '@postmesh/contracts';
import { textField } from '../account/text-field.js';
import type { PasskeyEntity } from './passkey.entity.js';

export const PasskeyErrors = {
  notAccepted: () => new ApiError(401, 'the passkey was not accepted, try again'),
  tooMany: () => new ApiError(409, 'a user can have at most 20 passkeys'),
  known: () => new ApiError(409, 'this passkey is registered already'),
} as const;

const encoded = z.string().min(1).max(8_000);

/** A credential in the form of `PublicKeyCredential.toJSON`; the library reads its parts. */
const Credential = z.looseObject({
  id: encoded,
  rawId: encoded,
  type: z.literal('public-key'),
  clientExtensionResults: z.record(z.string(), z.unknown()),
});
const Registration = Credential.extend({
  response: z.looseObject({
    clientDataJSON: encoded,
    attestationObject: encoded,
    transports: z.array(z.string().max(30)).max(10).optional(),
  }),
});
export const Assertion = Credential.extend({
  response: z.looseObject({ clientDataJSON: encoded, authenticatorData: encoded, signature: encoded }),
});
export type Assertion = z.infer<typeof Assertion>;

export const CreatePasskeyBody = z.object({
  label: textField('label', { min: 1, max: 100, trimmed: true }),
  credential: Registration.meta({
    description: '`PublicKeyCredential.toJSON()` of `navigator.credentials.create`.',
  }),
});
export type CreatePasskeyBody = z.infer<typeof CreatePasskeyBody>;

export const AssertionBody = z.object({
  credential: Assertion.meta({
    description: '`PublicKeyCredential.toJSON()` of `navigator.credentials.get`.',
  }),
});
export type AssertionBody = z.infer<typeof AssertionBody>;

/** For `PublicKeyCredential.parse…OptionsFromJSON`. */
export const PasskeyOptions = z
  .looseObject({ challenge: z.string() })
  .meta({ id: 'PasskeyOptions', description: 'Options of WebAuthn in their JSON form, for the browser.' });

export const PasskeyResource = z
  .object({ id: z.uuid(), label: z.string(), created_at: Timestamp, last_used_at: Timestamp.nullable() })
  .meta({ id: 'Passkey', description: 'A passkey of the member.' });
export const PasskeyList = listOf(PasskeyResource);

export const passkeyResource = ({
  id,
  label,
  createdAt,
  lastUsedAt,
}: PasskeyEntity): z.infer<typeof PasskeyResource> => ({
  id,
  label,
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
});
