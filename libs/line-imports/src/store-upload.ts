import { Readable } from 'node:stream';
import { ApiError, newId, type AccountId } from '@postmesh/contracts';
import type { ImportFormat, ImportRows, LineImport } from './import-rows.js';
import { chunksOf, readLines, type LineLimits } from './lines.js';

const MAX_UNFINISHED = 10;

const FORMATS: Readonly<Record<string, ImportFormat>> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
};

/** What a request of an upload gives. @throws ApiError 415 */
export function uploadOf(
  contentType: string | undefined,
  body: unknown,
): { format: ImportFormat; stream: Readable } {
  const format = FORMATS[(contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? ''];
  if (format === undefined || !(body instanceof Readable)) {
    throw new ApiError(415, `content type must be one of: ${Object.keys(FORMATS).join(', ')}`);
  }
  return { format, stream: body };
}

export interface Upload<Own extends string> {
  accountId: AccountId;
  operator: string;
  format: ImportFormat;
  stream: Readable;
  own?: Partial<Record<Own, string | null>>;
  /** the columns that the first line of a CSV file names; throws ApiError 400 */
  readColumns: (line: string) => string[];
  limits: LineLimits;
}

/**
 * Stores the lines of an import as they come. When this ends well they are durable and will be worked off.
 * @throws ApiError 400, 409 or 413; nothing of it stays then
 */
export async function storeUpload<Counter extends string, Own extends string>(
  rows: ImportRows<Counter, Own>,
  upload: Upload<Own>,
): Promise<LineImport<Counter, Own> | undefined> {
  const { accountId, operator, format, own } = upload;
  const id = newId();
  if (!(await rows.begin({ id, accountId, operator, format, own, most: MAX_UNFINISHED }))) {
    throw new ApiError(409, `the account has ${MAX_UNFINISHED} imports that are not finished`);
  }
  try {
    await rows.uploaded(id, await storeLines(rows, id, upload));
  } catch (error) {
    await rows.remove(id);
    throw error;
  }
  return rows.find(id);
}

async function storeLines(
  rows: Pick<ImportRows<string, string>, 'addChunk'>,
  id: string,
  { format, stream, readColumns, limits }: Upload<string>,
): Promise<{ lines: number; columns: string[] }> {
  let columns: string[] | undefined = format === 'csv' ? undefined : [];
  // whoever sends shall get the response also when the rest is not read
  const parts = stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  const withoutHead = async function* () {
    for await (const lines of readLines(parts, limits)) {
      // the first line is not one of the data
      const data = columns === undefined ? lines.slice(1) : lines;
      columns ??= readColumns(lines[0] ?? '');
      yield data;
    }
  };
  let lines = 0;
  for await (const chunk of chunksOf(withoutHead(), limits)) {
    await rows.addChunk(id, chunk);
    lines += chunk.lines.length;
  }
  if (lines === 0) throw new ApiError(400, 'the import has no lines');
  return { lines, columns: columns ?? [] };
}
