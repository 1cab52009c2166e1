/** What the settings say of the addresses in links. */
export interface OwnAddress {
  readonly baseUrl?: string | undefined;
  readonly httpPort: number;
  readonly linkHosts: 'domains' | 'service';
}

/**
 * Where public links begin, without a slash at the end (spec 2-messages §11 rule 2).
 * @param host of the sending domain, verified for this purpose; null = the service's own. A verified host of
 * local-internet exists for it alone, so that links lead to the service there (`POSTMESH_LINK_HOSTS`).
 */
export function publicBaseUrl(host: string | null, settings: OwnAddress): string {
  if (host !== null && settings.linkHosts === 'domains') return `https://${host}`;
  return ownBaseUrl(settings);
}

/** The address of the API, without a slash at the end. */
export const ownBaseUrl = ({ baseUrl, httpPort }: Pick<OwnAddress, 'baseUrl' | 'httpPort'>): string =>
  (baseUrl ?? `http://localhost:${httpPort}`).replace(/\/+$/, '');

// A token is a third longer than what it holds, and 8 KiB is what common proxies read of a request line.
const MAX_TARGET_BYTES = 4_096;

/** Whether a link can be tracked: http or https, no control characters, and not too long for a token. */
export function isTarget(url: string): boolean {
  // \p{Cc}: control characters; \p{Cs}: half a surrogate pair, which no UTF-8 can hold
  if (!/^https?:\/\/[^\p{Cc}\p{Cs}]+$/iu.test(url)) return false;
  return Buffer.byteLength(url) <= MAX_TARGET_BYTES && URL.canParse(url);
}

/**
 * A target as it stands in a `Location` header: exactly as it is, except that what no header can hold (spaces, characters
 * beyond ASCII) is written as browsers write it.
 */
export const locationOf = (target: string): string =>
  /^[\x21-\x7e]+$/.test(target) ? target : new URL(target).href;
