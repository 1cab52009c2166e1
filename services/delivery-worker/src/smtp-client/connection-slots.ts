import type { SmtpSession } from './smtp-session.js';

/** Somebody who wants to open connections. */
export interface SlotUser {
  /** A slot may be free now. */
  grow(): void;
}

/**
 * The bound on all connections of a worker, and its fairness: whoever gets none waits in line, idle connections of
 * others are closed for him, and busy ones with many messages make room between two messages.
 */
export class ConnectionSlots {
  private used = 0;
  private whenEmpty: (() => void) | undefined;
  private readonly line = new Set<SlotUser>();
  /** longest idle first */
  private readonly idle = new Set<SmtpSession>();

  constructor(private readonly most: number) {}

  get inUse(): number {
    return this.used;
  }

  /** Somebody waits for a connection. */
  get wanted(): boolean {
    return this.line.size > 0;
  }

  take(user: SlotUser): boolean {
    if (this.used < this.most) {
      this.used++;
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

  /** Resolves when no connection is open or being opened. */
  emptied(): Promise<void> {
    if (this.used === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.whenEmpty = resolve;
    });
  }

  release(): void {
    this.used--;
    if (this.used === 0) this.whenEmpty?.();
    for (const user of this.line) {
      if (this.used >= this.most) return;
      this.line.delete(user);
      user.grow();
    }
  }

  markIdle(session: SmtpSession): void {
    this.idle.add(session);
  }

  markBusy(session: SmtpSession): void {
    this.idle.delete(session);
  }
}
