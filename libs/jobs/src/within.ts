import { Transient } from '@postmesh/contracts';

/**
 * Bounds a wait. The work itself goes on: what a queue has been told cannot be untold.
 * @throws Transient when it takes longer
 */
export async function within<T>(limitMs: number, what: string, work: Promise<T>): Promise<T> {
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    limit = setTimeout(() => reject(new Transient(`${what} took longer than ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(limit);
  }
}
