import { Body, Controller } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { body, Call, Operation, type ApiCall } from '@postmesh/service-host';
import { TemplateTranslationBody } from './template-translation.schema.js';
import { TranslateForeignTemplates } from './translate-foreign-templates.js';

/** Imports of templates in the console. */
@Controller()
export class TemplateTranslationsController {
  constructor(private readonly translation: TranslateForeignTemplates) {}

  @Operation('template-translations.create')
  async create(
    @Call() { accountId }: ApiCall,
    @Body(body(TemplateTranslationBody)) given: TemplateTranslationBody,
  ): Promise<ApiResponse> {
    return apiResponse(200, await this.translation.execute(accountId, given));
  }
}
