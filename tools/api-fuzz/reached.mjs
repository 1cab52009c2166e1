// Coverage of the fuzzer: an operation that only returned errors was hardly tested.

/**
 * @param {object} document the API document
 * @param {{request: {method: string, url: string}, response: {status: number}}[]} entries of a HAR file
 * @returns {{answers: number, untouched: string[]}} ids of the operations that never answered a success
 */
export function reached(document, entries) {
  const operations = Object.entries(/** @type {any} */ (document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({ path, method, id: operationId })),
  );
  // the path with the fewest parameters first: `/sub-accounts/usage` is no sub-account
  operations.sort((a, b) => parameters(a.path) - parameters(b.path));
  const patterns = operations.map((operation) => ({ ...operation, pattern: patternOf(operation.path) }));
  const successful = new Set();
  for (const { request, response } of entries) {
    if (response.status >= 300) continue;
    const { pathname } = new URL(request.url);
    const method = request.method.toLowerCase();
    const found = patterns.find((each) => each.method === method && each.pattern.test(pathname));
    if (found) successful.add(found.id);
  }
  const untouched = operations.map(({ id }) => id).filter((id) => !successful.has(id));
  return { answers: entries.length, untouched: untouched.sort() };
}

const parameters = (path) => path.split('{').length;
const patternOf = (path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
