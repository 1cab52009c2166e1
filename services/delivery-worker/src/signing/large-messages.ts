import { Injectable } from '@nestjs/common';

// Two hundred messages below this size take 200 MiB at most and need no bound.
const LARGE_FROM_BYTES = 1024 * 1024;
// Content, composed message and socket buffers take about three times as much.
const MAX_BYTES = 96 * 1024 * 1024;

/** Bounds the memory of large messages in flight: small ones pass, large ones wait for each other. */
@Injectable()
export class LargeMessages {
  private bytes = 0;
  private readonly line: { size: number; begin: () => void }[] = [];

  /** @returns what the step returns; a message larger than the bound is sent alone */
  async within<T>(size: number, step: () => Promise<T>): Promise<T> {
    if (size < LARGE_FROM_BYTES) return step();
    await this.enter(size);
    try {
      return await step();
    } finally {
      this.bytes -= size;
      this.admit();
    }
  }

  private enter(size: number): Promise<void> {
    return new Promise((resolve) => {
      this.line.push({ size, begin: resolve });
      this.admit();
    });
  }

  private admit(): void {
    for (let next = this.line[0]; next; next = this.line[0]) {
      if (this.bytes > 0 && this.bytes + next.size > MAX_BYTES) return;
      this.bytes += next.size;
      this.line.shift();
      next.begin();
    }
  }
}
