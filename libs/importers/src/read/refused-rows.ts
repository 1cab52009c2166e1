/** A row that is not taken. */
export interface RefusedRow {
  readonly line: number;
  readonly reason: string;
  readonly text: string;
}

const MAX_KEPT = 50;
const MAX_TEXT = 120;

/** Counts what is refused, and keeps the first. */
export class RefusedRows {
  count = 0;
  readonly first: RefusedRow[] = [];

  add({ line, text }: Pick<RefusedRow, 'line' | 'text'>, reason: string): void {
    this.count += 1;
    if (this.first.length < MAX_KEPT) this.first.push({ line, reason, text: text.slice(0, MAX_TEXT) });
  }
}
