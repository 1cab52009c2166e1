import { appendFileSync, closeSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, readdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@postmesh/observability';
import { z } from 'zod';
import { matches, ReceivedMessage, Verdict, type MessageFilter } from './message.rules.js';

export interface MessageStorageOptions {
  folder: string;
  /** The oldest messages are removed first. */
  maxMessages: number;
  /** Octets of all messages together. */
  maxBytes: number;
  logger: Logger;
}

const IndexLine = z.union([
  z.object({ message: ReceivedMessage }),
  z.object({ id: z.string(), verdict: Verdict }),
]);
type IndexLine = z.infer<typeof IndexLine>;

const UNLINKS_AT_ONCE = 32;
/** The index is rewritten when it has this many lines, and this many per message. */
const MIN_LINES_TO_REWRITE = 20_000;
const MAX_LINES_PER_MESSAGE = 8;

/**
 * The newest messages in a folder: the content of each as `<id>.eml`, and `index.ndjson` with a line for every
 * message and every verdict. A message survives a kill -9 from the moment that `add` resolves (not the crash of
 * the machine: nothing is synced to the disk). It exists when it has both: an .eml without a line is the trace of
 * an interrupted `add` and is removed at the next start, a line without an .eml is that of a removed message.
 * The index is written synchronously: a line takes microseconds, and it never differs from what is in memory.
 */
export class MessageStorage {
  /** In order of arrival. */
  private readonly messages = new Map<string, ReceivedMessage>();
  private readonly indexPath: string;
  private index = -1;
  private lines = 0;
  private bytes = 0;
  private received = 0;
  /** Grows with every change, so that a reader can detect changes. */
  revision = 0;

  private constructor(private readonly options: MessageStorageOptions) {
    this.indexPath = join(options.folder, 'index.ndjson');
  }

  static async open(options: MessageStorageOptions): Promise<MessageStorage> {
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    const storage = new MessageStorage(options);
    const names = (await readdir(options.folder)).filter((name) => name.endsWith('.eml'));
    const contents = new Set(names.map((name) => name.slice(0, -'.eml'.length)));
    for (const message of readIndex(storage.indexPath)) {
      if (contents.delete(message.id)) storage.insert(message);
    }
    storage.rewriteIndex();
    await storage.remove([...contents]);
    await storage.evict();
    return storage;
  }

  /** Resolves when the message is stored; only then may its sender get 250. */
  async add(message: ReceivedMessage, raw: Buffer): Promise<void> {
    try {
      await writeFile(this.pathOf(message.id), raw, { mode: 0o600 });
      this.append({ message });
    } catch (error) {
      await this.unlinkContent(message.id);
      throw error;
    }
    this.insert({ ...message });
    this.received += 1;
    await this.evict();
  }

  get(id: string): ReceivedMessage | undefined {
    return this.messages.get(id);
  }

  /** The content of a message as it was received. */
  async raw(id: string): Promise<Buffer | undefined> {
    if (!this.messages.has(id)) return undefined;
    return readFile(this.pathOf(id)).catch((error: unknown) => {
      // Removed between the two steps.
      if (isMissing(error)) return undefined;
      throw error;
    });
  }

  /** Newest first. */
  find(filter: MessageFilter, limit: number): ReceivedMessage[] {
    const found: ReceivedMessage[] = [];
    for (const message of [...this.messages.values()].reverse()) {
      if (found.length >= limit) break;
      if (matches(message, filter)) found.push(message);
    }
    return found;
  }

  /** Ids of messages without a verdict, oldest first. */
  unverified(): string[] {
    return [...this.messages.values()].filter(({ verdict }) => verdict === undefined).map(({ id }) => id);
  }

  setVerdict(id: string, verdict: Verdict): void {
    const message = this.messages.get(id);
    if (message === undefined) return;
    message.verdict = verdict;
    this.revision += 1;
    try {
      this.append({ id, verdict });
    } catch (error) {
      // The next start verifies the message again.
      this.options.logger.warn({ event: 'storage.write_failed', err: error }, 'a verdict was not written');
    }
  }

  async clear(): Promise<void> {
    await this.remove([...this.messages.keys()]);
  }

  /** `received` counts since the start, including removed messages. */
  counts(): { received: number; kept: number; bytes: number } {
    return { received: this.received, kept: this.messages.size, bytes: this.bytes };
  }

  close(): void {
    closeSync(this.index);
    // A late write must fail; the descriptor of a closed file may be reused by another.
    this.index = -1;
  }

  private pathOf(id: string): string {
    return join(this.options.folder, `${id}.eml`);
  }

  private insert(message: ReceivedMessage): void {
    this.messages.set(message.id, message);
    this.bytes += message.size;
    this.revision += 1;
  }

  private async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      this.bytes -= this.messages.get(id)?.size ?? 0;
      this.messages.delete(id);
      this.revision += 1;
    }
    for (let at = 0; at < ids.length; at += UNLINKS_AT_ONCE) {
      await Promise.all(ids.slice(at, at + UNLINKS_AT_ONCE).map((id) => this.unlinkContent(id)));
    }
  }

  /** Removes the oldest messages that are too many or too large; the newest stays at any size. */
  private async evict(): Promise<void> {
    const { maxMessages, maxBytes } = this.options;
    const evicted: string[] = [];
    let { bytes } = this;
    for (const { id, size } of this.messages.values()) {
      const left = this.messages.size - evicted.length;
      if (left <= maxMessages && (bytes <= maxBytes || left <= 1)) break;
      evicted.push(id);
      bytes -= size;
    }
    await this.remove(evicted);
  }

  private async unlinkContent(id: string): Promise<void> {
    await unlink(this.pathOf(id)).catch((error: unknown) => {
      if (isMissing(error)) return;
      this.options.logger.warn(
        { event: 'storage.unlink_failed', err: error },
        'a message file was not removed',
      );
    });
  }

  private append(line: IndexLine): void {
    const maxLines = Math.max(MIN_LINES_TO_REWRITE, MAX_LINES_PER_MESSAGE * this.messages.size);
    if (this.lines >= maxLines) this.rewriteIndex();
    // The newline comes first: a line that an earlier failure has torn must not merge with this one.
    appendFileSync(this.index, `\n${JSON.stringify(line)}`);
    this.lines += 1;
  }

  /** Replaces the index by one line per message; the old one stays complete until the new one is. */
  private rewriteIndex(): void {
    const messages = [...this.messages.values()];
    const draft = `${this.indexPath}.new`;
    writeFileSync(draft, messages.map((message) => `\n${JSON.stringify({ message })}`).join(''), {
      mode: 0o600,
    });
    const index = openSync(draft, 'a');
    renameSync(draft, this.indexPath);
    if (this.index >= 0) closeSync(this.index);
    this.index = index;
    this.lines = messages.length;
  }
}

/** @returns the messages that are left after every complete line; the message of a torn line was never acknowledged */
function readIndex(path: string): Iterable<ReceivedMessage> {
  const messages = new Map<string, ReceivedMessage>();
  for (const line of readText(path).split('\n').flatMap(parseLine)) {
    if ('message' in line) messages.set(line.message.id, line.message);
    else Object.assign(messages.get(line.id) ?? {}, { verdict: line.verdict });
  }
  return messages.values();
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}

function parseLine(text: string): IndexLine[] {
  try {
    return [IndexLine.parse(JSON.parse(text))];
  } catch {
    return [];
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
