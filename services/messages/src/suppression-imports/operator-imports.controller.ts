import { Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { ApiError, ApiErrors, type AccountId } from '@postmesh/contracts';
import { FileUpload, importView, type UploadedFile } from '@postmesh/line-imports';
import { Internal, OperatorName, uuidParam } from '@postmesh/service-host';
import { SuppressionImports } from './suppression-imports.js';

/** Imports into suppression lists, for operators (architecture §5.4). */
@Internal()
@Controller('operator')
export class OperatorImportsController {
  constructor(private readonly imports: SuppressionImports) {}

  /** Accepts a CSV or NDJSON file as a stream; 202 when all of it is stored. */
  @Post('accounts/:account_id/suppression-imports')
  @HttpCode(202)
  async create(
    @uuidParam('account_id') accountId: AccountId,
    @OperatorName() operator: string,
    @FileUpload() file: UploadedFile,
  ): Promise<object> {
    const stored = await this.imports.upload({ accountId, operator, ...file });
    if (!stored) throw ApiErrors.notFound('import');
    return importView(stored);
  }

  /** Imports of one account, newest first. */
  @Get('accounts/:account_id/suppression-imports')
  async list(@uuidParam('account_id') accountId: AccountId): Promise<object> {
    return { data: (await this.imports.rows.list(accountId)).map((given) => importView(given)) };
  }

  /** Its progress, and the rejected lines. */
  @Get('suppression-imports/:import_id')
  async get(@uuidParam('import_id') id: string): Promise<object> {
    const given = await this.imports.rows.find(id);
    if (!given) throw ApiErrors.notFound('import');
    return importView(given, await this.imports.rows.errors(id));
  }

  /** Stops an unfinished import, of a wrong file or account. Rows that are on the list by then stay there. */
  @Delete('suppression-imports/:import_id')
  async cancel(@uuidParam('import_id') id: string, @OperatorName() operator: string): Promise<object> {
    const isStopped = await this.imports.rows.fail(id, `canceled by ${operator}`);
    const given = await this.imports.rows.find(id);
    if (!given) throw ApiErrors.notFound('import');
    if (!isStopped) throw new ApiError(409, `the import is ${given.state}`);
    return importView(given);
  }
}
