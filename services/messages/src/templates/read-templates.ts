import { Injectable } from '@nestjs/common';
import { ApiError, ApiErrors, type AccountId } from '@postmesh/contracts';
import { ExistingKeys } from '@postmesh/accounts-contract';
import { InternalClient, type PageQuery } from '@postmesh/http';
import type { Publisher, Template, TemplateCopy, TemplateState, TemplateVersion } from './template.js';
import { TemplatesRepository, type ListedTemplate } from './templates.repository.js';

export interface ShownVersion {
  template: Template;
  version: TemplateVersion;
  copy: TemplateCopy;
}

/** Reads of templates (spec 2-messages §6.2). */
@Injectable()
export class ReadTemplates {
  constructor(
    private readonly templates: TemplatesRepository,
    private readonly client: InternalClient,
  ) {}

  page(accountId: AccountId, page: PageQuery): Promise<ListedTemplate[]> {
    return this.templates.page(accountId, page);
  }

  /** @throws ApiError 404 */
  async state(accountId: AccountId, id: string): Promise<TemplateState> {
    const state = await this.templates.findState(accountId, id);
    if (!state) throw ApiErrors.notFound('template');
    return state;
  }

  /** @throws ApiError 404 */
  async draft(accountId: AccountId, id: string): Promise<{ template: Template; draft: TemplateCopy }> {
    const { template, draft } = await this.state(accountId, id);
    if (!draft) throw new ApiError(404, 'template has no draft');
    return { template, draft };
  }

  /** Newest first. @throws ApiError 404 */
  async versions(accountId: AccountId, id: string): Promise<TemplateVersion[]> {
    const template = await this.templates.find(accountId, id);
    if (!template) throw ApiErrors.notFound('template');
    return this.templates.versions(template.id);
  }

  /** @throws ApiError 404 */
  async version(accountId: AccountId, id: string, versionId: string): Promise<ShownVersion> {
    const template = await this.templates.find(accountId, id);
    if (!template) throw ApiErrors.notFound('template');
    const found = await this.templates.version(template.id, versionId);
    if (!found) throw ApiErrors.notFound('template version');
    return { template, ...found };
  }

  /**
   * A publisher that was deleted meanwhile is not shown (spec 2-messages §6.1).
   * @returns the ids of the existing publishers
   */
  async existingPublishers(
    accountId: AccountId,
    versions: readonly Pick<TemplateVersion, 'publisher'>[],
  ): Promise<Set<string>> {
    const idsOf = (type: Publisher['type']) =>
      new Set(versions.flatMap(({ publisher }) => (publisher?.type === type ? [publisher.id] : [])));
    // users are not deleted
    const users = idsOf('user');
    const keys = idsOf('api_key');
    if (keys.size === 0) return users;
    const existing = await this.client.request(
      'accounts',
      {
        method: 'POST',
        path: `/internal/accounts/${accountId}/api-keys/existing`,
        body: { key_ids: [...keys] },
      },
      ExistingKeys,
    );
    return new Set([...users, ...(existing?.key_ids ?? [])]);
  }
}
