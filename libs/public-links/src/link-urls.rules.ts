/** The settings of the addresses in links. */
export interface OwnAddress {
  readonly baseUrl?: string | undefined;
  readonly httpPort: number;
  readonly linkHosts: 'domains' | 'service';
}

/**
 * The base URL of public links, without a trailing slash (spec 2-messages §11 rule 2).
 * @param host of the sending domain, verified for this purpose; null = the service's own. Only local-internet
 *   resolves its verified hosts, so there links lead to the service (`POSTMESH_LINK_HOSTS`).
 */
export function publicBaseUrl(host: string | null, settings: OwnAddress): string {
  if (host !== null && settings.linkHosts === 'domains') return `https://${host}`;
  return ownBaseUrl(settings);
}

/** The base URL of the API, without a trailing slash. */
export const ownBaseUrl = ({ baseUrl, httpPort }: Pick<OwnAddress, 'baseUrl' | 'httpPort'>): string =>
  (baseUrl ?? `http://localhost:${httpPort}`).replace(/\/+$/, '');

// A token is a third longer than its content, and common proxies read 8 KiB of a request line.
const MAX_TARGET_BYTES = 4_096;

/** Whether a link can be tracked: http or https, no control characters, and not too long for a token. */
export function isTarget(url: string): boolean {
  // \p{Cc}: control characters; \p{Cs}: half a surrogate pair, which UTF-8 cannot encode
  if (!/^https?:\/\/[^\p{Cc}\p{Cs}]+$/iu.test(url)) return false;
  return Buffer.byteLength(url) <= MAX_TARGET_BYTES && URL.canParse(url);
}

/**
 * A target for the `Location` header: unchanged, except that characters that no header can hold (spaces, beyond
 * ASCII) are encoded as browsers do.
 */
export const locationOf = (target: string): string =>
  /^[\x21-\x7e]+$/.test(target) ? target : new URL(target).href;
