import { ApiError } from '@postmesh/contracts';
import type { SecretBox } from '@postmesh/secrets';

/**
 * A URL may contain a password (RFC 3986 §3.2.1). The column `url` is shown and logged, with `***` in its place;
 * `sealed_url` is the whole URL, null without a password.
 */
export interface StoredUrl {
  url: string;
  sealed_url: string | null;
}

const SHOWN_PASSWORD = '***';

/** @param url a target URL, as accepted by `readTargetUrl` */
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
 * A client may write back the shown URL: `***` is the stored password, for the same user at the same origin.
 * @param now the current whole URL
 * @throws ApiError 400 when the password would be sent to another origin or user
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
