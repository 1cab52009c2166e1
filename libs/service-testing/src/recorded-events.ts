import { EventEnvelope, newId, type Stream } from '@postmesh/contracts';
import type { EventBus } from '@postmesh/events';

export interface RecordedEvents<T> {
  /** what was picked of what was published, oldest first per key; a test may empty it */
  readonly events: T[];
  /**
   * Resolves when `ready` returns a value; it is called now and after every published batch.
   * @throws Error when it does not in time
   */
  until<R>(ready: () => R | undefined | false): Promise<R>;
}

export interface RecordOptions<T> {
  streams: readonly Stream[];
  /** what a test wants of an event; undefined leaves it out */
  pick: (event: EventEnvelope) => T | undefined;
  /** how long `until` waits; default 15,000 */
  waitMs?: number;
}

/**
 * Records what the services of a test publish. The group is new each time: several tests on one bus each get
 * everything.
 */
export async function recordEvents<T>(bus: EventBus, options: RecordOptions<T>): Promise<RecordedEvents<T>> {
  const { streams, pick, waitMs = 15_000 } = options;
  const events: T[] = [];
  const looks = new Set<() => void>();
  await bus.subscribe({
    group: `test-${newId()}`,
    streams,
    handle: async (received) => {
      for (const { text } of received) {
        const picked = pick(EventEnvelope.parse(JSON.parse(text)));
        if (picked !== undefined) events.push(picked);
      }
      for (const look of looks) look();
    },
  });
  return { events, until: (ready) => lookUntil(ready, looks, waitMs) };
}

function lookUntil<R>(
  ready: () => R | undefined | false,
  looks: Set<() => void>,
  waitMs: number,
): Promise<R> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(limit);
      looks.delete(look);
      settle();
    };
    const look = () => {
      try {
        const found = ready();
        if (found !== undefined && found !== false) end(() => resolve(found));
      } catch (error) {
        end(() => reject(error));
      }
    };
    const limit = setTimeout(() => end(() => reject(new Error('what was waited for did not come'))), waitMs);
    looks.add(look);
    look();
  });
}
