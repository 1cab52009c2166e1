/** Counts calls under way per host, so that one slow receiver takes no more than its share of the dispatcher. */
export class HostSlots {
  private readonly taken = new Map<string, number>();

  constructor(readonly perHost: number) {}

  take(host: string): void {
    this.taken.set(host, (this.taken.get(host) ?? 0) + 1);
  }

  free(host: string): void {
    const left = (this.taken.get(host) ?? 1) - 1;
    if (left > 0) this.taken.set(host, left);
    else this.taken.delete(host);
  }

  /** Free places of each host that is being called. */
  rooms(): { host: string; room: number }[] {
    return [...this.taken].map(([host, taken]) => ({ host, room: Math.max(0, this.perHost - taken) }));
  }

  /** Whether some host has no free place, so that due calls of it may be waiting. */
  anyFull(): boolean {
    for (const taken of this.taken.values()) if (taken >= this.perHost) return true;
    return false;
  }
}
