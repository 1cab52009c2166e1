import leven from 'leven';

const MAX_WORD = 64;
const MAX_EDITS = 2;

/**
 * The candidate that a misspelt word probably means.
 * @returns the nearest candidate, at most two edits away and fewer than half of the word; undefined when none is near
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD) return undefined;
  const given = word.toLowerCase();
  const maxDistance = Math.min(MAX_EDITS, Math.ceil(word.length / 2) - 1);
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = leven(given, candidate.toLowerCase(), { maxDistance: maxDistance + 1 });
    if (distance <= maxDistance && distance < (best?.distance ?? Infinity)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** ` (did you mean x?)`, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const found = closest(word, candidates);
  return found === undefined ? '' : ` (did you mean ${found}?)`;
}

const MAX_LISTED = 20;

/** ` (one of a, b, c)`: the values that a parameter takes. */
export const oneOf = (values: readonly unknown[]): string =>
  ` (one of ${values.slice(0, MAX_LISTED).join(', ')}${values.length > MAX_LISTED ? ', …' : ''})`;
