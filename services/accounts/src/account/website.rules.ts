import { z } from 'zod';
import { normaliseDomain } from '@postmesh/contracts';
import { textField } from './text-field.js';

const MAX_WEBSITE_CHARACTERS = 255;

/**
 * The website of an account (spec 1-platform §7) or a sub-account (§10.3) in a request body: a domain, or an
 * http(s) URL, of which the host is kept.
 * @param min 0: an empty one clears it
 */
export const websiteField = (min: 0 | 1) =>
  textField('website', { min, max: MAX_WEBSITE_CHARACTERS, trimmed: true })
    .transform((text, context) => {
      const host = text === '' ? '' : readHost(text);
      if (host !== undefined) return host;
      context.addIssue({ code: 'custom', message: 'website must be a valid URL' });
      return z.NEVER;
    })
    .meta({ description: 'A domain, or an http(s) URL, of which the host is kept.' });

/** A stored website for responses: earlier releases stored URLs as given. */
export const shownWebsite = (stored: string): string => readHost(stored) ?? stored;

/** @returns undefined when the text holds no domain */
function readHost(text: string): string | undefined {
  return normaliseDomain(readUrl(text)?.hostname ?? text);
}

function readUrl(text: string): URL | undefined {
  // the parser would drop line breaks and escape blanks, so such texts are rejected first
  if (!/^https?:\/\/[^\s\p{C}]+$/iu.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  // user information before an @ can look like the host to a reader
  return url.username === '' && url.password === '' ? url : undefined;
}
