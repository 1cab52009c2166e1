/** Work took longer than it may. `failureKind` reads the code as transient. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  readonly code = 'ETIMEDOUT';
}

/**
 * Bounds a wait. The work itself continues; its result after the timeout is ignored.
 * @param what named in the error: `${what} took longer than ${ms} ms`
 * @throws TimeoutError when it takes longer; else the error of the work
 */
export async function withTimeout<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`${what} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** @returns true when the work ended within `ms`, failed or not; a later end or failure is ignored */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const ended = work.then(
    () => true,
    () => true,
  );
  return withTimeout(ended, ms, 'work').catch(() => false);
}

/** Waits this long, or until it is aborted. */
export function pause(ms: number, abort?: AbortSignal): Promise<void> {
  if (abort?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      abort?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    abort?.addEventListener('abort', end, { once: true });
  });
}
