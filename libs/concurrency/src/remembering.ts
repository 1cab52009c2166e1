/**
 * The same work for the same input is done once in the lifetime of the returned function; inputs are compared as
 * JSON.
 */
export function remembering<I, R>(work: (input: I) => Promise<R>): (input: I) => Promise<R> {
  const done = new Map<string, Promise<R>>();
  return (input) => {
    const key = JSON.stringify(input) ?? '';
    const known = done.get(key) ?? work(input);
    done.set(key, known);
    return known;
  };
}
