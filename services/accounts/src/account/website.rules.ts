import { ApiError, isLongerThan, normaliseDomain } from '@postmesh/contracts';

export const MAX_WEBSITE_CHARACTERS = 255;

/** @param text trimmed; empty = none */
export function websiteProblem(text: string): string | undefined {
  if (isLongerThan(text, MAX_WEBSITE_CHARACTERS))
    return `must be at most ${MAX_WEBSITE_CHARACTERS} characters`;
  const readable = text === '' || readUrl(text) !== undefined || normaliseDomain(text) !== undefined;
  return readable ? undefined : 'must be a valid URL';
}

/**
 * A website without problems as it is stored (spec 1-platform §7): an http(s) URL as it was given, or a domain
 * in its one spelling; of a sub-account only the domain.
 * @throws ApiError 400 for the URL of a sub-account that names an address instead of a domain
 */
export function storedWebsite(text: string, owner: { isSubAccount: boolean }): string {
  if (text === '' || (!owner.isSubAccount && readUrl(text))) return text;
  const domain = readWebsiteDomain(text);
  if (domain === undefined) throw new ApiError(400, 'website must be a valid URL');
  return domain;
}

/**
 * The website of a sub-account (§10.3): a domain, or that of an http(s) URL.
 * @param text trimmed
 * @returns undefined where there is no domain in it
 */
export function readWebsiteDomain(text: string): string | undefined {
  if (isLongerThan(text, MAX_WEBSITE_CHARACTERS)) return undefined;
  return normaliseDomain(readUrl(text)?.hostname ?? text);
}

function readUrl(text: string): URL | undefined {
  // the parser drops line breaks and escapes blanks; what is shown as a link should be one as it stands
  if (!/^https?:\/\/[^\s\p{C}]+$/iu.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  // a name and a password in a link can only mislead whoever reads it
  return url.username === '' && url.password === '' ? url : undefined;
}
