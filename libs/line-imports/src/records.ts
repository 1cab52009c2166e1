import { ApiError, JsonTooLarge, parseExactJson, requireBoundedJson } from '@postmesh/contracts';
import type { LineChunk } from './chunks.js';
import { csvFields, recordLines } from './csv.js';
import type { ImportFormat } from './import-rows.js';

/** One entry of an import: a line, or several when a CSV field contains line breaks. */
export interface ImportRecord {
  text: string;
  lines: number;
}

/** The record that begins at a line. @param maxChars a longer record is read as one line, which is an error */
export function recordAt(
  format: ImportFormat,
  chunk: LineChunk,
  line: number,
  maxChars: number,
): ImportRecord {
  const at = line - chunk.first;
  const lines = format === 'csv' ? recordLines(chunk.lines, at, maxChars) : 1;
  return { text: chunk.lines.slice(at, at + lines).join('\n'), lines };
}

/** The fields of a CSV record by column; missing fields at its end are left out. @throws ApiError 400 */
export function recordFields(columns: readonly string[], text: string): [column: string, value: string][] {
  const values = csvFields(text);
  if (values.length > columns.length) throw new ApiError(400, 'more fields than columns');
  return values.map((value, at) => [columns[at] ?? '', value]);
}

/** @param what name of the object, for the error. @throws ApiError 400 */
export function jsonObject(text: string, what: string): object {
  let value: unknown;
  try {
    requireBoundedJson(Buffer.from(text));
    value = parseExactJson(text);
  } catch (error) {
    throw new ApiError(400, `${what} ${error instanceof JsonTooLarge ? error.message : 'is no JSON'}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || JSON.isRawJSON(value)) {
    throw new ApiError(400, `${what} is no JSON object`);
  }
  return value;
}
