import { ApiError, JsonTooLarge, parseBoundedJson } from '@postmesh/contracts';

/**
 * One object, of a line of NDJSON or a cell of CSV.
 * @param what the noun of the error: `the line`
 * @throws ApiError 400
 */
export function jsonObject(text: string, what: string): object {
  const value = parse(text, what);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError(400, `${what} is no JSON object`);
  }
  return value;
}

function parse(text: string, what: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch (error) {
    throw new ApiError(400, `${what} ${error instanceof JsonTooLarge ? error.message : 'is no JSON'}`);
  }
}
