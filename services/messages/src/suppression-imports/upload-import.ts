import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ApiError, newId, type AccountId } from '@postmesh/contracts';
import { AccountDomains } from '../suppressions/account-domains.js';
import { noDomains } from '../suppressions/suppression.schema.js';
import { chunksOf, readLines } from './import-chunks.js';
import { readColumns, type ImportFormat } from './import-lines.rules.js';
import { ImportsRepository, type SuppressionImport } from './imports.repository.js';
import { WorkOffImports } from './work-off-imports.js';

const MAX_UNFINISHED = 10;

export interface UploadImportCommand {
  accountId: AccountId;
  operator: string;
  format: ImportFormat;
  stream: Readable;
}

/** Stores the lines of an import as they come. When this ends well they are durable and will be worked off. */
@Injectable()
export class UploadImport {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly domains: AccountDomains,
    private readonly working: WorkOffImports,
  ) {}

  /** @throws ApiError 400, 409 or 413; nothing of it stays then */
  async execute({
    accountId,
    operator,
    format,
    stream,
  }: UploadImportCommand): Promise<SuppressionImport | undefined> {
    if ((await this.domains.all(accountId)).length === 0) throw noDomains();
    const id = newId();
    if (!(await this.imports.begin({ id, accountId, operator, format, most: MAX_UNFINISHED }))) {
      throw new ApiError(409, `the account has ${MAX_UNFINISHED} imports that are not finished`);
    }
    try {
      await this.imports.uploaded(id, await this.store(id, format, stream));
    } catch (error) {
      await this.imports.remove(id);
      throw error;
    }
    this.working.wake();
    return this.imports.find(id);
  }

  private async store(
    id: string,
    format: ImportFormat,
    stream: Readable,
  ): Promise<{ lines: number; columns: string[] }> {
    let columns: string[] | undefined = format === 'csv' ? undefined : [];
    // whoever sends shall get the response also when the rest is not read
    const parts = stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    const withoutHead = async function* () {
      for await (const lines of readLines(parts)) {
        // the first line is not one of the data
        const data = columns === undefined ? lines.slice(1) : lines;
        columns ??= readColumns(lines[0] ?? '');
        yield data;
      }
    };
    let lines = 0;
    for await (const chunk of chunksOf(withoutHead())) {
      await this.imports.addChunk(id, chunk);
      lines += chunk.lines.length;
    }
    if (lines === 0) throw new ApiError(400, 'the import has no lines');
    return { lines, columns: columns ?? [] };
  }
}
