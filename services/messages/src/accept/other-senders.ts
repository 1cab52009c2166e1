import { Injectable } from '@nestjs/common';

// They are remembered for a minute: a second more or less is nothing.
const TELL_EVERY_MS = 1_000;

/** Who sends by the API or by SMTP, beside campaigns, which leave them room (decision 61). */
@Injectable()
export class OtherSenders {
  private lastAt = Number.NEGATIVE_INFINITY;
  private toldAt = Number.NEGATIVE_INFINITY;
  private readonly followers: (() => void)[] = [];

  /** Somebody sends: to this process, or to one that says so. */
  send(): void {
    this.lastAt = performance.now();
    if (this.lastAt - this.toldAt < TELL_EVERY_MS) return;
    this.toldAt = this.lastAt;
    for (const follow of this.followers) follow();
  }

  haveSentWithin(ms: number): boolean {
    return performance.now() - this.lastAt < ms;
  }

  /** For the process that campaigns ask: it is told once a second while somebody sends to this one. */
  followedBy(follower: () => void): void {
    this.followers.push(follower);
  }
}
