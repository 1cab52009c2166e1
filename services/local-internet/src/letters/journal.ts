import { open, readFile, rename, writeFile, type FileHandle } from 'node:fs/promises';

interface Line {
  text: string;
  written(): void;
  failed(error: unknown): void;
}

/**
 * A file of JSON lines that only grows. Lines that wait are written together, in order; a written line
 * survives the death of this process (not of the machine: nothing is synced to the disk).
 */
export class Journal {
  private waiting: Line[] = [];
  private writing: Promise<void> | undefined;
  private torn = false;
  /** Lines in the file, so that the owner knows when to write it anew. */
  lines = 0;

  private constructor(
    private readonly path: string,
    private file: FileHandle,
  ) {}

  /** @returns every whole line that can be parsed; a torn last line was never promised to anybody */
  static async read(path: string): Promise<unknown[]> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    return text.split('\n').flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line) as unknown];
      } catch {
        return [];
      }
    });
  }

  /** Starts the file anew with these entries; the old one stays whole until the new one is. */
  static async startWith(path: string, entries: readonly object[]): Promise<Journal> {
    const journal = new Journal(path, await replaceFile(path, entries));
    journal.lines = entries.length;
    return journal;
  }

  append(entry: object): Promise<void> {
    return new Promise((written, failed) => {
      this.waiting.push({ text: `${JSON.stringify(entry)}\n`, written, failed });
      this.writing ??= this.write();
    });
  }

  /** Writes the file anew with what the owner says is still of use, between two appends. */
  async rewrite(entries: () => readonly object[]): Promise<void> {
    while (this.writing !== undefined) await this.writing;
    this.writing = this.replace(entries);
    await this.writing;
  }

  async close(): Promise<void> {
    while (this.writing !== undefined) await this.writing;
    await this.file.close();
  }

  private async write(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      try {
        // A write that failed half-way left part of a line: the next one must not grow together with it.
        await this.file.appendFile((this.torn ? '\n' : '') + batch.map((line) => line.text).join(''));
        this.torn = false;
        this.lines += batch.length;
        for (const line of batch) line.written();
      } catch (error) {
        this.torn = true;
        for (const line of batch) line.failed(error);
      }
    }
    this.writing = undefined;
  }

  private async replace(entries: () => readonly object[]): Promise<void> {
    const now = entries();
    try {
      const old = this.file;
      this.file = await replaceFile(this.path, now);
      this.lines = now.length;
      await old.close();
    } finally {
      await this.write();
    }
  }
}

async function replaceFile(path: string, entries: readonly object[]): Promise<FileHandle> {
  const draft = `${path}.new`;
  await writeFile(draft, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''), { mode: 0o600 });
  await rename(draft, path);
  return open(path, 'a', 0o600);
}
