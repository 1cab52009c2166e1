/**
 * Folds a dead-letter topic: a record brings a letter, an empty record under the same key takes it away. Keeps the
 * offsets of the oldest letters only, at most `room` of them; how far the others lie is remembered, so that a reader
 * can begin there again when all it kept have gone.
 */
export class LiveLetters {
  private readonly offsets = new Map<string, bigint>();
  private overflow: bigint | undefined;

  constructor(private readonly room: number) {}

  add(key: string, offset: bigint, isLetter: boolean): void {
    if (!isLetter) this.offsets.delete(key);
    else if (this.offsets.has(key)) return;
    else if (this.overflow === undefined && this.offsets.size < this.room) this.offsets.set(key, offset);
    else this.overflow ??= offset;
  }

  /** Oldest first. */
  letters(): { key: string; offset: bigint }[] {
    return [...this.offsets].map(([key, offset]) => ({ key, offset }));
  }

  /** Where a reader must begin to see what found no room; undefined when all did. */
  unseenFrom(): bigint | undefined {
    return this.overflow;
  }
}
