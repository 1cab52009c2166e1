import { normaliseDomain } from '@postmesh/contracts';

/**
 * One name per line; what follows `#` is for people.
 * @throws Error that names the first line that is no domain name
 */
export function readDomainList(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const entry = (line.split('#', 1)[0] ?? '').trim();
    if (entry === '') continue;
    const name = normaliseDomain(entry);
    if (name === undefined) throw new Error(`line ${at + 1} is no domain name`);
    names.add(name);
  }
  return names;
}

/** Whether a name or any above it is listed. @param domain normalised */
export function isListedOrBelow(names: ReadonlySet<string>, domain: string): boolean {
  for (let at = domain; at !== ''; at = at.includes('.') ? at.slice(at.indexOf('.') + 1) : '') {
    if (names.has(at)) return true;
  }
  return false;
}
