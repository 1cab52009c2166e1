import { createPublicKey, sign, type KeyObject } from 'node:crypto';

/** The operator's half of the links: the ids of the template, and the key that signs. */
export interface Signer {
  readonly providerId: string;
  readonly serviceId: string;
  readonly key: KeyObject;
  /** label of the public half below the domain of keys */
  readonly keyLabel: string;
}

/**
 * The link by which the owner of a domain lets the DNS host apply the template (draft-ietf-dconn-domainconnect-04, section 8.3.1).
 * @param urlSyncUx from the settings of the DNS host, checked
 * @param parameters without those of the signature; empty values are left out
 */
export function applyLink(
  urlSyncUx: string,
  signer: Signer,
  parameters: Readonly<Record<string, string>>,
): string {
  const query = canonicalQuery(parameters);
  const signature = sign('RSA-SHA256', Buffer.from(query), signer.key).toString('base64');
  return `${templateUrl(urlSyncUx, signer)}/apply?${query}&sig=${encode(signature)}&key=${encode(signer.keyLabel)}`;
}

/** The address of a template below a prefix of the DNS host (section 8.2). */
export const templateUrl = (
  prefix: string,
  { providerId, serviceId }: Pick<Signer, 'providerId' | 'serviceId'>,
): string =>
  `${prefix.replace(/\/+$/, '')}/v2/domainTemplates/providers/${encode(providerId)}/services/${encode(serviceId)}`;

/** The signed text (section 8.3.2.1): encoded names and values, sorted by encoded name. */
export function canonicalQuery(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .filter(([, value]) => value !== '')
    .map(([name, value]): [string, string] => [encode(name), encode(value)])
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** All but the unreserved characters of RFC 3986 §2.3. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

// A string of a text record has at most 255 bytes.
const FRAGMENT = 200;

/** The public half of a key as text records at one name (section 6.4). */
export function publicKeyRecords(key: KeyObject): string[] {
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');
  const fragments = der.match(new RegExp(`.{1,${FRAGMENT}}`, 'g')) ?? [];
  return fragments.map((data, nth) => `p=${nth + 1},a=RS256,d=${data}`);
}
