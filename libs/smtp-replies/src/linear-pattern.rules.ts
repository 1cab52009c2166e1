/** Most steps that a pattern may take from one place of a text: its bounded repeats multiplied. */
export const MAX_STEPS_PER_PLACE = 5_000;

/**
 * Why a pattern could be slow on a hostile text, in words; undefined when it cannot. Without `*` and `+`, and without
 * repeats inside of repeats, the work from each place of a text is bounded: the time is linear.
 */
export function slowness(source: string): string | undefined {
  // escapes and character classes hold no quantifiers
  const bare = source.replace(/\\./g, 'e').replace(/\[(?:[^\]])+\]/g, 'c');
  if (/[*+]|\{\d+,\}/.test(bare)) return 'has a repeat without an end';
  if (repeatedGroups(bare).some((body) => /[?{]/.test(body))) return 'repeats what repeats';
  const bounds = [...bare.matchAll(/\{(?:\d+,)?(\d+)\}/g)].map(([, bound]) => Number(bound) + 1);
  const steps = bounds.reduce((product, bound) => product * bound, 1);
  if (steps > MAX_STEPS_PER_PLACE) return `may take ${steps} steps from each place`;
  return undefined;
}

/** The contents of groups that `{m,n}` repeats. */
function repeatedGroups(bare: string): string[] {
  const open: number[] = [];
  const bodies: string[] = [];
  for (let at = 0; at < bare.length; at += 1) {
    if (bare[at] === '(') open.push(at);
    if (bare[at] !== ')') continue;
    const from = open.pop() ?? 0;
    if (bare[at + 1] === '{') bodies.push(bare.slice(from + 1, at).replace(/^\?[:=!<]{1,2}/, ''));
  }
  return bodies;
}
