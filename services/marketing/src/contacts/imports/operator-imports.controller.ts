import { Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { ApiError, ApiErrors, Uuid, type AccountId } from '@postmesh/contracts';
import { FileUpload, importView, type LineError, type UploadedFile } from '@postmesh/line-imports';
import { Internal, OperatorName, query, uuidParam } from '@postmesh/service-host';
import { ContactImports, type ContactImport } from './contact-imports.js';

const ImportQuery = z.object({ list_id: Uuid.optional() });

/** Imports of contacts, for operators (architecture §5.4). */
@Internal()
@Controller('operator')
export class OperatorContactImportsController {
  constructor(private readonly imports: ContactImports) {}

  /** Stores a CSV or NDJSON file as a stream; 202 when all of it is stored. */
  @Post('accounts/:account_id/contact-imports')
  @HttpCode(202)
  async create(
    @uuidParam('account_id') accountId: AccountId,
    @OperatorName() operator: string,
    @Query(query(ImportQuery)) { list_id: listId }: z.infer<typeof ImportQuery>,
    @FileUpload() file: UploadedFile,
  ): Promise<object> {
    const stored = await this.imports.upload({ accountId, operator, ...file, listId: listId ?? null });
    if (!stored) throw ApiErrors.notFound('import');
    return view(stored);
  }

  /** The imports of one account, newest first. */
  @Get('accounts/:account_id/contact-imports')
  async list(@uuidParam('account_id') accountId: AccountId): Promise<object> {
    return { data: (await this.imports.rows.list(accountId)).map((given) => view(given)) };
  }

  /** The progress of an import, and its rejected lines. */
  @Get('contact-imports/:import_id')
  async get(@uuidParam('import_id') id: string): Promise<object> {
    const given = await this.imports.rows.find(id);
    if (!given) throw ApiErrors.notFound('import');
    return view(given, await this.imports.rows.errors(id));
  }

  /** Stops an unfinished import, of a wrong file or account. Its finished lines stay. */
  @Delete('contact-imports/:import_id')
  async cancel(@uuidParam('import_id') id: string, @OperatorName() operator: string): Promise<object> {
    const isStopped = await this.imports.rows.fail(id, `canceled by ${operator}`);
    const given = await this.imports.rows.find(id);
    if (!given) throw ApiErrors.notFound('import');
    if (!isStopped) throw new ApiError(409, `the import is ${given.state}`);
    return view(given);
  }
}

const view = (given: ContactImport, errors?: readonly LineError[]): object => ({
  ...importView(given, errors),
  list_id: given.own.list_id,
});
