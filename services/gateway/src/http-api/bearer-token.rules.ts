/**
 * The secret of `Authorization: Bearer <secret>` (spec 1-platform §2.1): the scheme in any letter case,
 * one header only.
 * @param rawHeaders names and values in turn, as they came
 */
export function bearerToken(rawHeaders: readonly string[]): string | undefined {
  let given: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length !== 13 || name.toLowerCase() !== 'authorization') continue;
    if (given !== undefined) return undefined;
    given = rawHeaders[at + 1];
  }
  return /^bearer +([^\s]+)$/i.exec(given?.trim() ?? '')?.[1];
}
