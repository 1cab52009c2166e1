import { Injectable } from '@nestjs/common';

/** Who sends by the API or by SMTP, beside campaigns, which leave them room (decision 61). */
@Injectable()
export class OtherSenders {
  private lastAt = Number.NEGATIVE_INFINITY;

  /** Somebody sends to this process. */
  send(): void {
    this.lastAt = performance.now();
  }

  haveSentWithin(ms: number): boolean {
    return performance.now() - this.lastAt < ms;
  }
}
