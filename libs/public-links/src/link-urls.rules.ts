/** Where public links begin, without a slash at the end. @param host verified for this purpose; null = the service's own */
export function publicBaseUrl(host: string | null, settings: { readonly baseUrl: string }): string {
  return host === null ? settings.baseUrl.replace(/\/+$/, '') : `https://${host}`;
}

// A token is a third longer than what it holds, and 8 KiB is what common proxies read of a request line.
const MAX_TARGET_BYTES = 4_096;

/** Whether a link can be tracked: http or https, no control characters, and not too long for a token. */
export function isTarget(url: string): boolean {
  if (!/^https?:\/\/[^\x00-\x1f\x7f]+$/i.test(url)) return false;
  return Buffer.byteLength(url) <= MAX_TARGET_BYTES && Buffer.from(url).toString() === url && URL.canParse(url);
}

/**
 * A target as it stands in a `Location` header: exactly as it is, except that what no header can hold (spaces, letters
 * beyond ASCII) is written as browsers write it.
 */
export const locationOf = (target: string): string =>
  /^[\x21-\x7e]+$/.test(target) ? target : new URL(target).href;
