import { Readable } from 'node:stream';
import { Controller, Delete, Get, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError, ApiErrors, type AccountId } from '@postmesh/contracts';
import { Internal, OperatorName, uuidParam } from '@postmesh/service-host';
import type { ImportFormat, LineError } from './import-lines.rules.js';
import { ImportsRepository, type SuppressionImport } from './imports.repository.js';
import { UploadImport } from './upload-import.js';

const FORMATS: Readonly<Record<string, ImportFormat>> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
};

/** Imports into suppression lists, for operators (architecture §5.4). */
@Internal()
@Controller('operator')
export class OperatorImportsController {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly upload: UploadImport,
  ) {}

  /** Takes a CSV or NDJSON file as it comes; 202 when all of it is stored. */
  @Post('accounts/:account_id/suppression-imports')
  @HttpCode(202)
  async create(
    @uuidParam('account_id') accountId: AccountId,
    @OperatorName() operator: string,
    @Req() { headers, body }: FastifyRequest,
  ): Promise<object> {
    const format = FORMATS[(headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''];
    if (format === undefined || !(body instanceof Readable)) {
      throw new ApiError(415, `content type must be one of: ${Object.keys(FORMATS).join(', ')}`);
    }
    const stored = await this.upload.execute({ accountId, operator, format, stream: body });
    if (!stored) throw ApiErrors.notFound('import');
    return importView(stored);
  }

  /** Those of one account, newest first. */
  @Get('accounts/:account_id/suppression-imports')
  async list(@uuidParam('account_id') accountId: AccountId): Promise<object> {
    return { data: (await this.imports.list(accountId)).map((given) => importView(given)) };
  }

  /** How far it is, and which lines were not taken. */
  @Get('suppression-imports/:import_id')
  async get(@uuidParam('import_id') id: string): Promise<object> {
    const given = await this.imports.find(id);
    if (!given) throw ApiErrors.notFound('import');
    return importView(given, await this.imports.errors(id));
  }

  /** Stops one that is not done, of a wrong file or account. What is on the list by then stays there. */
  @Delete('suppression-imports/:import_id')
  async cancel(@uuidParam('import_id') id: string, @OperatorName() operator: string): Promise<object> {
    const isStopped = await this.imports.fail(id, `canceled by ${operator}`);
    const given = await this.imports.find(id);
    if (!given) throw ApiErrors.notFound('import');
    if (!isStopped) throw new ApiError(409, `the import is ${given.state}`);
    return importView(given);
  }
}

function importView(given: SuppressionImport, errors?: readonly LineError[]): object {
  return {
    id: given.id,
    account_id: given.accountId,
    operator: given.operator,
    format: given.format,
    state: given.state,
    problem: given.problem,
    created_at: given.createdAt,
    worked_at: given.workedAt,
    finished_at: given.finishedAt,
    lines: given.lines,
    lines_done: given.linesDone,
    created: given.created,
    extended: given.extended,
    unchanged: given.unchanged,
    errors: given.errors,
    ...(errors ? { first_errors: errors } : {}),
  };
}
