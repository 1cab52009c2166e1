import type { Logger } from '@postmesh/observability';

const EVERY_MS = 10_000;

/** Logs a warning that repeats with every request at most once in ten seconds. */
export class RareWarning {
  private loggedAt = -EVERY_MS;

  constructor(
    private readonly logger: Logger,
    private readonly event: string,
    private readonly message: string,
  ) {}

  log(error: unknown): void {
    const now = performance.now();
    if (now - this.loggedAt < EVERY_MS) return;
    this.loggedAt = now;
    this.logger.warn({ event: this.event, err: error }, this.message);
  }
}
