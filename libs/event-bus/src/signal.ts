/** A wake-up for one waiting loop: raised before the wait, it ends the next wait at once. */
export class Signal {
  private raised = false;
  private wake: (() => void) | undefined;

  raise(): void {
    this.raised = true;
    this.wake?.();
  }

  /** Resolves when raised, or after `ms`; the signal is lowered then. */
  async wait(ms: number): Promise<void> {
    if (!this.raised) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.wake = undefined;
    this.raised = false;
  }
}

/** @returns true when the work ended within `ms`; a late end or failure of the work is nobody's any more */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const end = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([end, limit]);
  } finally {
    clearTimeout(timer);
  }
}
