/** A queue in which keys take turns: one with much to do delays the others by one item each. */
export class Turns<T> {
  /** the key whose turn it is comes first */
  private readonly queues = new Map<string, T[]>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  sizeOf(key: string): number {
    return this.queues.get(key)?.length ?? 0;
  }

  /** At the end of what this key has. */
  add(key: string, item: T): void {
    this.queueOf(key).push(item);
    this.count += 1;
  }

  /** What was begun and is not done: before all else of its key, when its turn comes again. */
  putBack(key: string, item: T): void {
    this.queueOf(key).unshift(item);
    this.count += 1;
  }

  /** The next item of the key whose turn it is; that key is then last. */
  take(): T | undefined {
    for (const [key, queue] of this.queues) {
      const item = queue.shift();
      this.queues.delete(key);
      if (queue.length > 0) this.queues.set(key, queue);
      this.count -= 1;
      return item;
    }
    return undefined;
  }

  private queueOf(key: string): T[] {
    const queue = this.queues.get(key) ?? [];
    this.queues.set(key, queue);
    return queue;
  }
}
