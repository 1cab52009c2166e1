import { Injectable } from '@nestjs/common';

/** Load by the API and SMTP. Campaigns slow down for it (decision 61). */
@Injectable()
export class OtherSenders {
  private lastAt = Number.NEGATIVE_INFINITY;

  /** Records a send by the API or SMTP in this process. */
  send(): void {
    this.lastAt = performance.now();
  }

  haveSentWithin(ms: number): boolean {
    return performance.now() - this.lastAt < ms;
  }
}
