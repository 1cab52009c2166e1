import { useEffect } from 'react';
import { checkSession, queries, useSession } from './session';

/** Reads that are repeated anyway are repeated more rarely while the server says what has changed. */
const SLOWER = 6;
/** Several changes within this time are one reading. */
const GATHER_MS = 1_500;
/** A browser gives up a stream that is refused. */
const AGAIN_MS = 30_000;

type Kind = 'message' | 'campaign' | 'import' | 'webhook' | 'route';

/** First parts of the keys of queries, by what has changed. */
const KEYS: Readonly<Record<Kind, readonly string[]>> = {
  message: ['messages', 'message', 'message-calls', 'overview', 'campaign-recipients'],
  campaign: ['campaigns', 'campaign-stats', 'campaign-recipients'],
  import: ['contacts', 'lists', 'suppressions'],
  webhook: ['webhooks', 'deliveries', 'message-calls'],
  route: ['routes', 'deliveries', 'message-calls'],
};

let isOpen = false;

/** The interval of a repeated reading, ms: without a stream the reading is the only way to see a change. */
export const pollMs = (ms: number): number => (isOpen ? ms * SLOWER : ms);

/** A reader who has scrolled is not interrupted. */
const isShort = ({ state: { data } }: { state: { data: unknown } }): boolean =>
  ((data as { pages?: unknown[] } | undefined)?.pages?.length ?? 0) <= 1;

/** Follows the account while a page of it is open; the browser connects again, with the id of the last event. */
export function useLive(): void {
  const { account } = useSession();
  useEffect(() => {
    const changed = new Set<string>();
    let gathering: ReturnType<typeof setTimeout> | undefined;
    const readAgain = () => {
      gathering = undefined;
      for (const key of changed) void queries.invalidateQueries({ queryKey: [key], predicate: isShort });
      changed.clear();
    };
    let source: EventSource | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    const connect = () => {
      const opened = (source = new EventSource('/console/api/events'));
      opened.addEventListener('open', () => (isOpen = true));
      opened.addEventListener('error', () => {
        isOpen = false;
        if (opened.readyState !== EventSource.CLOSED) return;
        void checkSession();
        again = setTimeout(connect, AGAIN_MS);
      });
      opened.addEventListener('reset', () => void queries.invalidateQueries());
      opened.addEventListener('changes', ({ data }: MessageEvent<string>) => {
        const { changes } = JSON.parse(data) as { changes: { kind: Kind }[] };
        for (const { kind } of changes) for (const key of KEYS[kind] ?? []) changed.add(key);
        gathering ??= setTimeout(readAgain, GATHER_MS);
      });
    };
    connect();
    return () => {
      source?.close();
      clearTimeout(again);
      clearTimeout(gathering);
      isOpen = false;
    };
  }, [account.id]);
}
