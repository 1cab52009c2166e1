import type { SourceName } from './sources.js';

/** A small export in the documented form, and what it becomes. */
interface ExportCase {
  readonly source: SourceName;
  readonly file: string;
  readonly text: string;
  readonly as?: string;
  readonly form: string;
}

export interface SuppressionCase extends ExportCase {
  /** `email cause date reason`, or `line: why it is refused` */
  readonly gives: readonly string[];
}

export interface ContactCase extends ExportCase {
  readonly confirmed?: boolean;
  /** email, consent, lists and the rest of the entry */
  readonly gives: readonly (
    readonly [email: string, consent: string, lists: string, entry: object] | string
  )[];
}

/** One value a line, so that lines in errors can be counted. */
export const json = (value: unknown) => JSON.stringify(value, null, 2);
