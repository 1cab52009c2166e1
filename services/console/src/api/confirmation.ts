import { useSyncExternalStore } from 'react';

/** The window of the provider and this one are of one origin once that one is back: they share this channel. */
const CHANNEL = 'postmesh-confirmation';

interface Asked {
  readonly end: (isConfirmed: boolean) => void;
}

let asked: Asked | undefined;
let answer: Promise<boolean> | undefined;
const readers = new Set<() => void>();

function set(next: Asked | undefined): void {
  asked = next;
  for (const changed of readers) changed();
}

/** Asks the reader for a login at the provider; requests at the same time share it. @returns whether there was one */
export function confirmAtProvider(): Promise<boolean> {
  answer ??= new Promise<boolean>((resolve) => {
    const channel = new BroadcastChannel(CHANNEL);
    const end = (isConfirmed: boolean) => {
      channel.close();
      answer = undefined;
      set(undefined);
      resolve(isConfirmed);
    };
    channel.onmessage = () => end(true);
    set({ end });
  });
  return answer;
}

/** The question that is open now, for the page that shows it. */
export const useAsked = (): Asked | undefined =>
  useSyncExternalStore(
    (changed) => {
      readers.add(changed);
      return () => readers.delete(changed);
    },
    () => asked,
  );

/** In the window of the provider: the session is confirmed. */
export function tellConfirmed(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('confirmed');
  channel.close();
}
