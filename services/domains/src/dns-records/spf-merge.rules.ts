const ALL = /^[+\-~?]?all$/i;
const REDIRECT = /^redirect=/i;

/**
 * The SPF record that the owner should publish: the plain one, or the one that is there already with our include
 * before its `all` (spec 1-platform §11.2 rule 3), because two SPF records would make both worthless.
 * @param published the only SPF record at the name; null when there is none, or more than one
 * @param host what to include
 */
export function recommendedSpf(published: string | null, host: string): string {
  const include = `include:${host}`;
  if (published === null) return `v=spf1 ${include} ~all`;
  const terms = published
    .trim()
    .split(/\s+/)
    .filter((term) => !namesUsWrongly(term, host));
  const end = endOfMechanisms(terms);
  const known = terms.findIndex((term) => /^\+?include:/i.test(term) && sameHost(term, host));
  if (known > 0 && known < end) return terms.join(' ');
  return [...terms.slice(0, end), include, ...terms.slice(end)].join(' ');
}

/** What stands after `all` is never read; where there is none, a redirect is the last word. */
function endOfMechanisms(terms: readonly string[]): number {
  const all = terms.findIndex((term) => ALL.test(term));
  if (all >= 0) return all;
  const redirect = terms.findIndex((term) => REDIRECT.test(term));
  return redirect >= 0 ? redirect : terms.length;
}

/** `~include:` of us would have receivers take our messages for forged before they reach the right one. */
const namesUsWrongly = (term: string, host: string): boolean =>
  /^[~?-]include:/i.test(term) && sameHost(term, host);

const sameHost = (term: string, host: string): boolean =>
  term
    .slice(term.indexOf(':') + 1)
    .replace(/\.$/, '')
    .toLowerCase() === host.toLowerCase();
