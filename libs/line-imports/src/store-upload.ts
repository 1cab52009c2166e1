import { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError, newId, type AccountId } from '@postmesh/contracts';
import { chunksOf, type LineLimits } from './chunks.js';
import { delimiterMark, delimiterOf, type Delimiter } from './csv.js';
import { readLines, type FileLine } from './file-lines.js';
import { lineError, type ImportFormat, type ImportRows, type LineImport } from './import-rows.js';

const MAX_UNFINISHED = 10;
const NO_LINES = 'the import has no lines';

const FORMATS: Readonly<Record<string, ImportFormat>> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
};

/** An uploaded file. */
export interface UploadedFile {
  format: ImportFormat;
  stream: Readable;
  /** of the content type; undefined: UTF-8, or the encoding of the byte order mark */
  charset: string | undefined;
}

/** Parameter decorator: the file in the request of an upload, as a stream. @throws ApiError 415 */
export const FileUpload = createParamDecorator((_: unknown, context: ExecutionContext): UploadedFile => {
  const { headers, body } = context.switchToHttp().getRequest<FastifyRequest>();
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const format = FORMATS[type];
  if (format === undefined || !(body instanceof Readable)) {
    throw new ApiError(415, `content type must be one of: ${Object.keys(FORMATS).join(', ')}`);
  }
  const charset = parameters.find((part) => part.startsWith('charset='))?.slice('charset='.length);
  return { format, stream: body, charset: charset?.replaceAll('"', '') };
});

export interface Upload<Own extends string> extends UploadedFile {
  accountId: AccountId;
  operator: string;
  own?: Partial<Record<Own, string | null>>;
  /** the columns in the first line of a CSV file; throws ApiError 400 */
  readColumns: (line: string, delimiter: Delimiter) => string[];
  limits: LineLimits;
}

/**
 * Stores the lines of an import as a stream. After success they are durable and will be processed.
 * @throws ApiError 400, 409 or 413; nothing is stored then
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
  rows: Pick<ImportRows<string, string>, 'addChunk' | 'addErrors'>,
  id: string,
  { format, stream, charset, readColumns, limits }: Upload<string>,
): Promise<{ lines: number; columns: string[] }> {
  // the client receives the response even when the rest is not read
  const parts = stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  const { columns, delimiter, data } = await readHead(format, readLines(parts, limits, charset), readColumns);
  let lines = 0;
  let errors = 0;
  for await (const chunk of chunksOf(data, delimiter, limits)) {
    const problems = chunk.problems.map(({ line, text, reason }) => lineError(format, line, text, reason));
    await rows.addErrors(id, problems, errors);
    await rows.addChunk(id, chunk);
    errors += problems.length;
    lines += chunk.lines.length;
  }
  if (lines === 0) throw new ApiError(400, NO_LINES);
  return { lines, columns };
}

/**
 * Reads the columns and the delimiter from the first line of a CSV file. A mark `sep=;` before it counts as no line, as
 * in the numbers of rows that Excel shows.
 * @throws ApiError 400
 */
async function readHead(
  format: ImportFormat,
  lines: AsyncGenerator<FileLine[]>,
  readColumns: Upload<string>['readColumns'],
): Promise<{ columns: string[]; delimiter: Delimiter | undefined; data: AsyncIterable<FileLine[]> }> {
  if (format !== 'csv') return { columns: [], delimiter: undefined, data: lines };
  const next = async () => ((await lines.next()) as { value?: FileLine[] }).value ?? [];
  let [head, ...rest] = await next();
  const marked = head && delimiterMark(head.text);
  if (marked) [head, ...rest] = rest.length > 0 ? rest : await next();
  if (!head) throw new ApiError(400, NO_LINES);
  if (head.problem !== undefined) throw new ApiError(400, `${head.problem} (line 1)`);
  const data = (async function* () {
    yield rest;
    yield* lines;
  })();
  const delimiter = marked ?? delimiterOf(head.text);
  return { columns: readColumns(head.text, delimiter), delimiter, data };
}
