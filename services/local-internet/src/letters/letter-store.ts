import type { LocalInternetLogger } from '../logger.js';
import type { KeptLetter, Letter, Verdict } from './letter.js';
import { fits, type LetterFilter } from './letter-filter.rules.js';
import type { LetterShelf } from './letter-shelf.js';

export interface LetterStoreOptions {
  shelf: LetterShelf;
  /** Most letters kept; the oldest go first. */
  keepMax: number;
  /** Most octets kept in all letters together. */
  keepBytes: number;
  logger: LocalInternetLogger;
}

/** The newest letters, bounded in number and size. */
export class LetterStore {
  /** In order of arrival. */
  private readonly letters = new Map<string, KeptLetter>();
  private bytes = 0;
  private received = 0;
  /** Hears which letters are no longer kept. */
  onGone: (ids: readonly string[]) => void = () => {};
  /** Grows with every change, so that a reader can ask "anything new?". */
  revision = 0;

  private constructor(private readonly options: LetterStoreOptions) {}

  static async open(options: LetterStoreOptions): Promise<LetterStore> {
    const store = new LetterStore(options);
    for (const letter of await options.shelf.load()) store.take(letter);
    store.evict();
    return store;
  }

  /** Resolves when the letter is safe; only then may its sender hear 250. */
  async add(letter: Letter, raw: Buffer): Promise<void> {
    await this.options.shelf.put(letter, raw);
    this.received += 1;
    this.take({ ...letter });
    this.evict();
  }

  get(id: string): KeptLetter | undefined {
    return this.letters.get(id);
  }

  raw(id: string): Promise<Buffer | undefined> {
    return this.letters.has(id) ? this.options.shelf.raw(id) : Promise.resolve(undefined);
  }

  /** Newest first. */
  find(filter: LetterFilter, limit: number): KeptLetter[] {
    const found: KeptLetter[] = [];
    const all = [...this.letters.values()];
    for (let at = all.length - 1; at >= 0 && found.length < limit; at -= 1) {
      const letter = all[at];
      if (letter !== undefined && fits(letter, filter)) found.push(letter);
    }
    return found;
  }

  /** Letters without a verdict, oldest first. */
  unjudged(): string[] {
    return [...this.letters.values()].filter((letter) => letter.verdict === undefined).map(({ id }) => id);
  }

  async judge(id: string, verdict: Verdict): Promise<void> {
    const letter = this.letters.get(id);
    if (letter === undefined) return;
    letter.verdict = verdict;
    this.revision += 1;
    await this.options.shelf.judge(id, verdict);
  }

  async clear(): Promise<void> {
    const ids = [...this.letters.keys()];
    this.letters.clear();
    this.bytes = 0;
    this.revision += 1;
    this.onGone(ids);
    await this.options.shelf.remove(ids);
  }

  /** `received` counts since the start, whatever was removed since. */
  counts(): { received: number; kept: number; bytes: number } {
    return { received: this.received, kept: this.letters.size, bytes: this.bytes };
  }

  private take(letter: KeptLetter): void {
    this.letters.set(letter.id, letter);
    this.bytes += letter.size;
    this.revision += 1;
  }

  private evict(): void {
    const gone: string[] = [];
    for (const [id, letter] of this.letters) {
      const tooMany = this.letters.size > this.options.keepMax;
      const tooLarge = this.bytes > this.options.keepBytes && this.letters.size > 1;
      if (!tooMany && !tooLarge) break;
      this.letters.delete(id);
      this.bytes -= letter.size;
      gone.push(id);
    }
    if (gone.length === 0) return;
    this.onGone(gone);
    this.options.shelf.remove(gone).catch((error: unknown) => {
      this.options.logger.warn(
        { err: error, letters: gone.length },
        'local internet: old letters not removed',
      );
    });
  }
}
