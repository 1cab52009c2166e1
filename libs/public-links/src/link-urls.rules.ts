/** What the settings say of the service's own address. */
export interface OwnAddress {
  readonly baseUrl?: string | undefined;
  readonly httpPort: number;
}

/** Where public links begin, without a slash at the end. @param host verified for this purpose; null = the service's own */
export function publicBaseUrl(host: string | null, { baseUrl, httpPort }: OwnAddress): string {
  if (host !== null) return `https://${host}`;
  return (baseUrl ?? `http://localhost:${httpPort}`).replace(/\/+$/, '');
}

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
