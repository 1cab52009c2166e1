import type { components } from './generated/console';

type Schemas = components['schemas'];
type Options = Schemas['PasskeyOptions'];
type Assertion = Schemas['SessionConfirmBody']['credential'];
type Registration = Schemas['PasskeysCreateBody']['credential'];

/** Older browsers have passkeys without the JSON forms of their options and results. */
export const hasPasskeys = (): boolean =>
  'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** @throws DOMException when the reader cancels, or no passkey fits */
export async function askForPasskey(options: Options): Promise<Assertion> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  return toJson(await navigator.credentials.get({ publicKey })) as unknown as Assertion;
}

/** @throws DOMException when the reader cancels, or the device has a passkey of this member already */
export async function makePasskey(options: Options): Promise<Registration> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  return toJson(await navigator.credentials.create({ publicKey })) as unknown as Registration;
}

function toJson(credential: Credential | null): ReturnType<PublicKeyCredential['toJSON']> {
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException('no passkey was given');
  return credential.toJSON();
}
