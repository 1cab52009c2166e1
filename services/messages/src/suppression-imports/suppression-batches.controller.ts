import { Body, Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { translateSuppressions } from '@postmesh/importers';
import { body, Call, Operation, type ApiCall } from '@postmesh/service-host';
import { ImportSuppressions } from './import-suppressions.js';
import { SuppressionBatchBody } from './suppression-batch.schema.js';
import { SuppressionTranslationBody } from './suppression-translation.schema.js';

/** Imports of suppressions in the console, which sends a file in parts. */
@Controller()
export class SuppressionBatchesController {
  constructor(private readonly imports: ImportSuppressions) {}

  @Operation('suppression-batches.create')
  async create(
    @Call() { accountId }: ApiCall,
    @Body(body(SuppressionBatchBody)) given: SuppressionBatchBody,
  ): Promise<ApiResponse> {
    return apiResponse(200, await this.imports.execute(accountId, given, { isDryRun: false }));
  }

  @Operation('suppression-batches.preview')
  async preview(
    @Call() { accountId }: ApiCall,
    @Body(body(SuppressionBatchBody)) given: SuppressionBatchBody,
  ): Promise<ApiResponse> {
    return apiResponse(200, await this.imports.execute(accountId, given, { isDryRun: true }));
  }

  @Operation('suppression-batches.translate')
  translate(@Body(body(SuppressionTranslationBody)) rows: SuppressionTranslationBody): ApiResponse {
    return apiResponse(200, { object: 'suppression_translation', ...translateSuppressions(rows) });
  }
}
