import { Permits } from '@postmesh/concurrency';
import type { SmtpSession } from './smtp-session.js';

/** A pool that opens connections. */
export interface ConnectionUser {
  /** A permit may be free now. */
  grow(): void;
}

/**
 * The permits for all connections of a worker, counted per MX group, shared out fairly: a pool without one waits in
 * line, an idle connection of another pool is closed for it, and busy connections are given up between two messages.
 */
export class ConnectionPermits {
  private readonly permits: Permits<object>;
  private whenEmpty: (() => void) | undefined;
  private readonly line = new Set<ConnectionUser>();
  /** longest idle first */
  private readonly idle = new Set<SmtpSession>();

  constructor(private readonly maxTotal: number) {
    // The limit per group is the group's own rule, because each of its hosts may always have one connection.
    this.permits = new Permits(Infinity, maxTotal);
  }

  get inUse(): number {
    return this.permits.inUse;
  }

  inUseOf(group: object): number {
    return this.permits.inUseOf(group);
  }

  /** A pool waits for a connection. */
  get wanted(): boolean {
    return this.line.size > 0;
  }

  /** @returns false when none is free: `grow` is called when one may be */
  tryAcquire(group: object, user: ConnectionUser): boolean {
    if (this.permits.tryAcquire(group)) {
      this.line.delete(user);
      return true;
    }
    this.line.add(user);
    for (const session of this.idle) {
      this.idle.delete(session);
      void session.quit();
      break;
    }
    return false;
  }

  release(group: object): void {
    this.permits.release(group);
    if (this.inUse === 0) this.whenEmpty?.();
    for (const user of this.line) {
      if (this.inUse >= this.maxTotal) return;
      this.line.delete(user);
      user.grow();
    }
  }

  /** Resolves when no connection is open or being opened. */
  emptied(): Promise<void> {
    if (this.inUse === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.whenEmpty = resolve;
    });
  }

  markIdle(session: SmtpSession): void {
    this.idle.add(session);
  }

  markBusy(session: SmtpSession): void {
    this.idle.delete(session);
  }
}
