import { mkdir, readFile, readdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Journal } from './journal.js';
import { Letter, Verdict, type KeptLetter } from './letter.js';
import type { LetterShelf } from './letter-shelf.js';

const Entry = z.union([
  z.object({ letter: Letter }),
  z.object({ id: z.string(), verdict: Verdict }),
  z.object({ gone: z.array(z.string()) }),
]);

const UNLINKS_AT_ONCE = 32;
/** The journal is written anew when it has this many lines per letter, and at least the second number. */
const LINES_PER_LETTER = 8;
const LEAST_LINES = 20_000;

/**
 * Letters in a folder: `<id>.eml` each, and `letters.jsonl` with what is known of them. A letter that was
 * put survives a kill -9. A file without a line is the trace of an interrupted put and is removed at load.
 */
export class FolderShelf implements LetterShelf {
  private readonly known = new Map<string, KeptLetter>();
  private tidying = false;

  private constructor(
    private readonly folder: string,
    private readonly journal: Journal,
  ) {}

  static async open(folder: string): Promise<FolderShelf> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, 'letters.jsonl');
    const files = new Set((await readdir(folder)).filter((name) => name.endsWith('.eml')));
    const letters = replay(await Journal.read(path)).filter((letter) => files.delete(`${letter.id}.eml`));
    await unlinkAll([...files].map((name) => join(folder, name)));
    const shelf = new FolderShelf(folder, await Journal.startWith(path, letters.flatMap(entriesOf)));
    for (const letter of letters) shelf.known.set(letter.id, letter);
    return shelf;
  }

  async load(): Promise<KeptLetter[]> {
    return [...this.known.values()].map((letter) => ({ ...letter }));
  }

  async put(letter: Letter, raw: Buffer): Promise<void> {
    await writeFile(this.file(letter.id), raw, { mode: 0o600 });
    // Known before it is written: a journal that is written anew meanwhile must not leave it out.
    this.known.set(letter.id, { ...letter });
    try {
      await this.journal.append({ letter });
    } catch (error) {
      this.known.delete(letter.id);
      throw error;
    }
    this.tidyWhenLong();
  }

  async judge(id: string, verdict: Verdict): Promise<void> {
    const letter = this.known.get(id);
    if (letter === undefined) return;
    letter.verdict = verdict;
    await this.journal.append({ id, verdict });
  }

  async raw(id: string): Promise<Buffer | undefined> {
    if (!this.known.has(id)) return undefined;
    return readFile(this.file(id)).catch((error: NodeJS.ErrnoException) => {
      // Removed between the two steps.
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
  }

  async remove(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const id of ids) this.known.delete(id);
    await this.journal.append({ gone: ids });
    await unlinkAll(ids.map((id) => this.file(id)));
  }

  async close(): Promise<void> {
    await this.journal.close();
  }

  private file(id: string): string {
    return join(this.folder, `${id}.eml`);
  }

  private tidyWhenLong(): void {
    if (this.tidying || this.journal.lines < Math.max(LEAST_LINES, LINES_PER_LETTER * this.known.size))
      return;
    this.tidying = true;
    void this.journal
      .rewrite(() => [...this.known.values()].flatMap(entriesOf))
      // A journal that could not be written anew is still whole, only long.
      .catch(() => {})
      .finally(() => {
        this.tidying = false;
      });
  }
}

function entriesOf({ verdict, ...letter }: KeptLetter): object[] {
  return verdict === undefined ? [{ letter }] : [{ letter }, { id: letter.id, verdict }];
}

function replay(lines: readonly unknown[]): KeptLetter[] {
  const letters = new Map<string, KeptLetter>();
  for (const line of lines) {
    const { data: entry } = Entry.safeParse(line);
    if (entry === undefined) continue;
    if ('letter' in entry) letters.set(entry.letter.id, { ...entry.letter });
    else if ('gone' in entry) for (const id of entry.gone) letters.delete(id);
    else Object.assign(letters.get(entry.id) ?? {}, { verdict: entry.verdict });
  }
  return [...letters.values()];
}

async function unlinkAll(paths: readonly string[]): Promise<void> {
  for (let at = 0; at < paths.length; at += UNLINKS_AT_ONCE) {
    await Promise.all(paths.slice(at, at + UNLINKS_AT_ONCE).map((path) => unlink(path).catch(() => {})));
  }
}
