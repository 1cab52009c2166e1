import { Transient } from '@postmesh/contracts';
import type { Topics } from './topics.js';

// Shorter than the time for which a lost topic stays away (topics.ts): a member that has fetched within it has seen the
// topic that it reads.
const FRESH_MS = 1_500;

/**
 * Detects topics that were deleted and made again while a member did not fetch: its handler took long, or its process
 * had no processor. Its offsets are those of the old topic, and events of the new one would be skipped. The brokers
 * delete committed offsets together with a topic, so a missing one is the sign of it.
 */
export class ReplacedTopics {
  /** of partitions with a committed offset, as `topic/partition` */
  private readonly committed = new Set<string>();
  private lastFetch = performance.now();
  private isInDoubt = false;

  constructor(
    private readonly topics: Topics,
    private readonly groupId: string,
  ) {}

  /** The member has joined its group, and continues at the committed offsets. */
  async joined(): Promise<void> {
    this.lastFetch = performance.now();
    for (const partition of await this.read()) this.committed.add(partition);
  }

  fetched(): void {
    const now = performance.now();
    this.isInDoubt ||= now - this.lastFetch > FRESH_MS;
    this.lastFetch = now;
  }

  /** @throws Transient when a topic was replaced; the member joins again and begins at the first event */
  async beforeCommit(): Promise<void> {
    if (performance.now() - this.lastFetch > FRESH_MS) this.isInDoubt = true;
    await this.check();
  }

  hasCommitted(topic: string, partition: number): void {
    this.committed.add(`${topic}/${partition}`);
  }

  /** Asks the brokers after a time without a fetch. @throws Transient when a topic was replaced, or they do not answer */
  async check(): Promise<void> {
    if (!this.isInDoubt) return;
    const present = await this.read();
    for (const partition of this.committed) {
      if (!present.has(partition)) {
        throw new Transient(`the topic of ${partition} was made again, and its offsets are gone`);
      }
    }
    this.isInDoubt = false;
  }

  /** With a client of its own: a client that has used a topic fails in every call once that topic is gone. */
  private async read(): Promise<Set<string>> {
    let found: string[] = [];
    await this.topics.withAdmin(async (admin) => {
      const offsets = await admin.fetchOffsets({ groupId: this.groupId });
      found = offsets.flatMap(({ topic, partitions }) =>
        partitions
          .filter(({ offset }) => Number(offset) >= 0)
          .map(({ partition }) => `${topic}/${partition}`),
      );
    });
    return new Set(found);
  }
}
