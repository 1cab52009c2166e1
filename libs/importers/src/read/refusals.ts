/** A row that is not taken. */
export interface Refusal {
  readonly line: number;
  readonly reason: string;
  readonly text: string;
}

const MAX_KEPT = 50;
const MAX_TEXT = 120;

/** Counts what is refused, and keeps the first. */
export class Refusals {
  count = 0;
  readonly first: Refusal[] = [];

  add({ line, text }: Pick<Refusal, 'line' | 'text'>, reason: string): void {
    this.count += 1;
    if (this.first.length < MAX_KEPT) this.first.push({ line, reason, text: text.slice(0, MAX_TEXT) });
  }
}
