import type { KeptLetter, Letter, Verdict } from './letter.js';

/** Where letters lie. `put` resolves when the letter survives what this shelf promises to survive. */
export interface LetterShelf {
  /** Everything kept from before, oldest first. */
  load(): Promise<KeptLetter[]>;
  put(letter: Letter, raw: Buffer): Promise<void>;
  judge(id: string, verdict: Verdict): Promise<void>;
  raw(id: string): Promise<Buffer | undefined>;
  remove(ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Letters that live as long as the process. */
export class MemoryShelf implements LetterShelf {
  private readonly contents = new Map<string, Buffer>();

  async load(): Promise<KeptLetter[]> {
    return [];
  }

  async put(letter: Letter, raw: Buffer): Promise<void> {
    this.contents.set(letter.id, raw);
  }

  async judge(): Promise<void> {}

  async raw(id: string): Promise<Buffer | undefined> {
    return this.contents.get(id);
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.contents.delete(id);
  }

  async close(): Promise<void> {
    this.contents.clear();
  }
}
