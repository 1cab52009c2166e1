export interface Stored<T extends string> {
  get: () => T;
  set: (value: T) => void;
  subscribe: (listener: () => void) => () => void;
}

/** A choice of the reader, kept in this browser. */
export function stored<T extends string>(key: string, initial: T): Stored<T> {
  const listeners = new Set<() => void>();
  let value = read(key) ?? initial;
  return {
    get: () => value as T,
    set: (next) => {
      value = next;
      try {
        localStorage.setItem(key, next);
      } catch {
        // a browser that keeps nothing: the choice lasts as long as the page
      }
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function read(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}
