interface Asker<V> {
  resolve: (value: V | undefined) => void;
  reject: (error: unknown) => void;
}

/** What is wanted in the same turn of the event loop is read together: one statement instead of one each. */
export class GatheredReads<V> {
  private wanted = new Map<string, Asker<V>[]>();

  constructor(private readonly readAll: (ids: readonly string[]) => Promise<ReadonlyMap<string, V>>) {}

  /** @returns undefined when there is nothing under this id; rejects as the common read does */
  read(id: string): Promise<V | undefined> {
    return new Promise((resolve, reject) => {
      if (this.wanted.size === 0) setImmediate(() => void this.readWanted());
      const asker = { resolve, reject };
      const others = this.wanted.get(id);
      if (others) others.push(asker);
      else this.wanted.set(id, [asker]);
    });
  }

  private async readWanted(): Promise<void> {
    const { wanted } = this;
    this.wanted = new Map();
    try {
      const found = await this.readAll([...wanted.keys()]);
      for (const [id, askers] of wanted) askers.forEach(({ resolve }) => resolve(found.get(id)));
    } catch (error) {
      for (const askers of wanted.values()) askers.forEach(({ reject }) => reject(error));
    }
  }
}
