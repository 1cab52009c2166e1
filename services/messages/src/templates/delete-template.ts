import { Injectable } from '@nestjs/common';
import { ApiErrors, type AccountId } from '@postmesh/contracts';
import { TemplatesRepository } from './templates.repository.js';

/** `DELETE …/templates/{id}`: hides it at once; its rows are deleted later (`PurgeTemplates`). */
@Injectable()
export class DeleteTemplate {
  constructor(private readonly templates: TemplatesRepository) {}

  /** @throws ApiError 404 */
  async execute({ accountId, id }: { accountId: AccountId; id: string }): Promise<void> {
    const deleted = await this.templates.markDeleted(accountId, id);
    if (!deleted) throw ApiErrors.notFound('template');
  }
}
