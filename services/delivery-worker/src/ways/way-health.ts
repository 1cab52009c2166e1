import { isClosed, notReached, tried, type WayTrouble } from './way-health.rules.js';

/**
 * The ways of this worker that lead nowhere now: a port 25 that is closed, relays that take no mail. Kept in memory, as a
 * network is that of one machine.
 */
export class WayHealth {
  private readonly troubles = new Map<string, WayTrouble>();
  private readonly listeners = new Set<(source: string) => void>();
  private time: () => number = () => performance.now();

  /** @param closed is called when a source is closed */
  onClosed(closed: (source: string) => void): void {
    this.listeners.add(closed);
  }

  isClosed(way: string): boolean {
    return isClosed(this.troubles.get(way), this.time());
  }

  /** A message takes it: a probe, if it is in trouble. */
  chosen(way: string): void {
    const trouble = this.troubles.get(way);
    if (trouble !== undefined) this.troubles.set(way, tried(trouble, this.time()));
  }

  replied(way: string): void {
    this.troubles.delete(way);
  }

  notReached(way: string, host: string, needed?: number): void {
    const before = this.troubles.get(way);
    const trouble = notReached(before, host, this.time(), needed);
    this.troubles.set(way, trouble);
    if (trouble.closedUntil === null || (before?.closedUntil ?? null) !== null) return;
    for (const listener of this.listeners) listener(way);
  }

  /** For tests, which move the time. */
  use(time: () => number): void {
    this.time = time;
  }
}
