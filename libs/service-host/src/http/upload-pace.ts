// With 1 MiB/s the largest messages have arrived by then. A slower client keeps its memory until others wait for it.
const SLOW_AFTER_MS = 20_000;
const LOOK_EVERY_MS = 1_000;

export interface PaceLimits {
  /** an upload that is too slow for this time is ended; for half of it while others wait */
  readonly stallMs: number;
  readonly minBytesPerSecond: number;
}

/** The reason to end an upload: it stalls, or it keeps out others that would be faster. */
export type PaceVerdict = 'stalled' | 'keeps others out';

/** One upload at one check. */
export interface UploadProgress {
  /** since its first byte could be read */
  readonly ageMs: number;
  /** since it was last fast enough */
  readonly spanMs: number;
  readonly bytesInSpan: number;
  readonly isWaitedFor: boolean;
  /** its sender has timeouts of its own: it ends only where it keeps others out */
  readonly mayStall: boolean;
}

/** @returns undefined while it may continue */
export function judgePace(progress: UploadProgress, limits: PaceLimits): PaceVerdict | undefined {
  const { ageMs, spanMs, isWaitedFor, mayStall } = progress;
  const tooFew = !mayStall && isTooFew(progress, limits);
  if (isWaitedFor && (ageMs > SLOW_AFTER_MS || (tooFew && spanMs >= limits.stallMs / 2))) {
    return 'keeps others out';
  }
  return tooFew && spanMs >= limits.stallMs ? 'stalled' : undefined;
}

const isTooFew = ({ bytesInSpan, spanMs }: UploadProgress, { minBytesPerSecond }: PaceLimits): boolean =>
  bytesInSpan < (minBytesPerSecond * spanMs) / 1_000;

export interface WatchOptions {
  readonly isWaitedFor?: () => boolean;
  readonly mayStall?: boolean;
}

interface Upload {
  readonly end: (verdict: PaceVerdict) => void;
  readonly isWaitedFor: () => boolean;
  readonly mayStall: boolean;
  ageMs: number;
  spanMs: number;
  bytesInSpan: number;
}

export interface WatchedUpload {
  arrived(bytes: number): void;
  stop(): void;
}

/** Checks all uploads of a listener with one timer: a timer for each would cost more than most requests. */
export class UploadPace {
  private readonly running = new Set<Upload>();
  private readonly lookEveryMs: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly limits: PaceLimits) {
    this.lookEveryMs = Math.min(LOOK_EVERY_MS, limits.stallMs / 4);
  }

  /** @param end is called at most once, and not after `stop` */
  watch(
    end: Upload['end'],
    { isWaitedFor = () => false, mayStall = false }: WatchOptions = {},
  ): WatchedUpload {
    const upload: Upload = { end, isWaitedFor, mayStall, ageMs: 0, spanMs: 0, bytesInSpan: 0 };
    this.running.add(upload);
    this.timer ??= setInterval(() => this.lookAtAll(), this.lookEveryMs).unref();
    return {
      arrived: (bytes) => {
        upload.bytesInSpan += bytes;
      },
      stop: () => {
        this.running.delete(upload);
      },
    };
  }

  private lookAtAll(): void {
    for (const upload of this.running) this.lookAt(upload);
    if (this.running.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private lookAt(upload: Upload): void {
    // counted in checks: bytes that arrived while this process was blocked are read after the late check
    upload.ageMs += this.lookEveryMs;
    upload.spanMs += this.lookEveryMs;
    const progress = { ...upload, isWaitedFor: upload.isWaitedFor() };
    const verdict = judgePace(progress, this.limits);
    if (verdict) {
      this.running.delete(upload);
      upload.end(verdict);
    } else if (upload.spanMs >= this.limits.stallMs / 2 && !isTooFew(progress, this.limits)) {
      upload.spanMs = 0;
      upload.bytesInSpan = 0;
    }
  }
}
