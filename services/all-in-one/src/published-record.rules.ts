/**
 * Whether a record is the one that the settings ask for. An SPF record may have more: addresses of sources that
 * operators made are in no setting (docs/decisions/0171).
 */
export function isPublished(found: string, wanted: string): boolean {
  if (found === wanted) return true;
  if (!wanted.startsWith(SPF) || !found.startsWith(SPF)) return false;
  const terms = new Set(found.split(/ +/));
  return wanted.split(' ').every((term) => terms.has(term));
}

const SPF = 'v=spf1 ';
