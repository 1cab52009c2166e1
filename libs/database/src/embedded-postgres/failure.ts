/** The embedded PostgreSQL is not available here; the text names the reason and the remedy. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** The error code of a failed system call (`ENOENT`), or of PostgreSQL (`57P03`). */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
