import { ApiError } from '@postmesh/contracts';
import type { SecretBox } from '@postmesh/secrets';

/**
 * A URL may carry a password (RFC 3986 §3.2.1). The column `url` is what is shown and logged, with `***` in its place;
 * `sealed_url` is the whole, null where there is no password.
 */
export interface StoredUrl {
  url: string;
  sealed_url: string | null;
}

const SHOWN_PASSWORD = '***';

/** @param url a target URL, as `readTargetUrl` takes it */
export function storedUrl(url: string, about: string, box: SecretBox): StoredUrl {
  const shown = new URL(url);
  if (shown.password === '') return { url, sealed_url: null };
  shown.password = SHOWN_PASSWORD;
  return { url: shown.href, sealed_url: box.seal(url, about) };
}

/** The whole URL, for the call. */
export const wholeUrl = ({ url, sealed_url: sealed }: StoredUrl, about: string, box: SecretBox): string =>
  sealed === null ? url : box.open(sealed, about);

/**
 * A client writes back what it was shown: `***` is the password that is stored, for the same user at the same origin.
 * @param now the whole URL so far
 * @throws ApiError 400 when it would go to another one
 */
export function givenUrl(given: string, now: string): string {
  const [next, known] = [new URL(given), new URL(now)];
  if (next.password !== SHOWN_PASSWORD || known.password === '') return given;
  if (next.origin !== known.origin || next.username !== known.username) {
    throw new ApiError(400, 'url must have its password, since its host or user changes');
  }
  next.password = known.password;
  return next.href === known.href ? now : next.href;
}
