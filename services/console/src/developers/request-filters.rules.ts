/** Filters of the request log: in the address of the page, and in the words of the API. */
export interface RequestFilters {
  /** `4xx`, `5xx`, or a status */
  status?: string;
  key_id?: string;
  /** a part of the path, or an operation */
  path?: string;
}

const FILTERS = ['status', 'key_id', 'path'] as const;

export function readRequestFilters(given: Record<string, unknown>): RequestFilters {
  const found = FILTERS.flatMap((name) => {
    const value = given[name];
    return typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()] as const] : [];
  });
  return Object.fromEntries(found);
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The `X-Request-Id` of a response, which a program has logged. */
export const isRequestId = (text: string): boolean => ID.test(text.trim());
