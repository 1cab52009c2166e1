/**
 * A tag list, the form of DKIM and DMARC records (RFC 6376 §3.2).
 * @returns undefined when it is malformed: a part without `=`, a bad name, a tag twice
 */
export function parseTagList(text: string): ReadonlyMap<string, string> | undefined {
  const parts = text.split(';').map((part) => part.trim());
  // one semicolon may end the list
  if (parts.at(-1) === '') parts.pop();
  const tags = new Map<string, string>();
  for (const part of parts) {
    const [, name, value] = /^([a-z][a-z0-9_]*)\s*=\s*([\s\S]*)$/i.exec(part) ?? [];
    if (name === undefined || value === undefined || tags.has(name)) return undefined;
    tags.set(name, value.trim());
  }
  return tags;
}

export const firstTag = (tags: ReadonlyMap<string, string>): string | undefined => tags.keys().next().value;
