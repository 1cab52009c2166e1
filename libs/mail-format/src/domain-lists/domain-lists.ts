import { readFile, stat } from 'node:fs/promises';
import { normaliseDomain } from '@postmesh/contracts';

export interface DomainListFileOptions {
  /** the file cannot be read (any more), or holds no valid list: the last good one stays in force */
  onTrouble: (error: unknown) => void;
  /** how often the file is checked for changes, ms; default 5 s */
  lookAgainMs?: number;
}

/** An operator's list of domain names in a file; a change counts a few seconds later, without a restart. */
export class DomainListFile {
  private names: ReadonlySet<string> = new Set();
  private readAs = '';
  private lookedAt = Number.NEGATIVE_INFINITY;

  /** @param file in the form that `readDomainList` reads */
  constructor(
    private readonly file: string,
    private readonly options: DomainListFileOptions,
  ) {}

  /** For the start. @throws Error that names the file when there is no first list */
  async load(): Promise<void> {
    this.lookedAt = performance.now();
    try {
      await this.look();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`the list of domains in ${this.file} cannot be read: ${reason}`, { cause: error });
    }
  }

  /** The current list. The first caller after the interval checks the file, the others do not wait. */
  async current(): Promise<ReadonlySet<string>> {
    if (performance.now() - this.lookedAt > (this.options.lookAgainMs ?? 5_000)) {
      this.lookedAt = performance.now();
      await this.look().catch(this.options.onTrouble);
    }
    return this.names;
  }

  private async look(): Promise<void> {
    const { mtimeMs, size } = await stat(this.file);
    const seen = `${mtimeMs}/${size}`;
    if (seen === this.readAs) return;
    this.names = readDomainList(await readFile(this.file, 'utf8'));
    this.readAs = seen;
  }
}

/**
 * One name per line; `#` begins a comment for people.
 * @throws Error that names the first line that is no domain name
 */
export function readDomainList(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const entry = (line.split('#', 1)[0] ?? '').trim();
    if (entry === '') continue;
    const name = normaliseDomain(entry);
    if (name === undefined) throw new Error(`line ${at + 1} is no domain name`);
    names.add(name);
  }
  return names;
}

/** Whether a name or any above it is listed. @param domain normalised */
export function isListedOrBelow(names: ReadonlySet<string>, domain: string): boolean {
  for (let at = domain; at !== ''; at = at.includes('.') ? at.slice(at.indexOf('.') + 1) : '') {
    if (names.has(at)) return true;
  }
  return false;
}
