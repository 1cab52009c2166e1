import type { JobBackend } from './backend/backend.js';
import { within } from './within.js';

const EVERY_MS = 5_000;
const LIMIT_MS = 2_000;

/** Asks the backend every five seconds whether it is there, so that readiness is known without a wait. */
export class Liveness {
  private alive = true;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly backend: JobBackend) {
    this.timer = setInterval(() => void this.look(), EVERY_MS);
    this.timer.unref();
  }

  get isAlive(): boolean {
    return this.alive;
  }

  stop(): void {
    clearInterval(this.timer);
    this.alive = false;
  }

  private async look(): Promise<void> {
    this.alive = await within(LIMIT_MS, 'ping', this.backend.ping()).then(
      () => true,
      () => false,
    );
  }
}
