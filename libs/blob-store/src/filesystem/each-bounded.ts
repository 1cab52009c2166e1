/** Runs `work` on every item, at most `width` at once. @throws the first failure, after the others have ended */
export async function eachBounded<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const drain = async () => {
    for (const item of queue) await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(width, items.length) }, drain));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}
