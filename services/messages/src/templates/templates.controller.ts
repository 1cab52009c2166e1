import { Body, Controller, Query, type PipeTransform } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { shareOf } from '@postmesh/designs';
import { parsePageQuery, toPage, type PageQuery } from '@postmesh/http';
import { body, Call, Operation, optionalBody, query, uuidParam, type ApiCall } from '@postmesh/service-host';
import { CreateTemplate } from './create-template.js';
import { DeleteTemplate } from './delete-template.js';
import { ReadTemplates } from './read-templates.js';
import { TemplateDrafts } from './template-drafts.js';
import { TemplateIssues } from './template-issues.js';
import type { TemplateState } from './template.js';
import {
  CreateTemplateBody,
  READ_ONLY_FIELDS,
  RestoreBody,
  templateDraftResource,
  templateListItem,
  templateResource,
  templateVersionDetail,
  templateVersionResource,
  UpdateTemplateBody,
} from './template.schema.js';
import { UpdateTemplate } from './update-template.js';

const RULES = { readOnly: READ_ONLY_FIELDS };

interface VersionRef {
  readonly id: string;
  readonly versionId: string;
}

/** `@Call(versionRef) ref`: the version that the path names. */
const versionRef: PipeTransform<ApiCall, VersionRef> = {
  transform: (call) => ({ id: call.uuidParam('template_id'), versionId: call.uuidParam('version_id') }),
};

/** An account's transactional templates (spec 2-messages §6). */
@Controller()
export class TemplatesController {
  constructor(
    private readonly templates: ReadTemplates,
    private readonly creation: CreateTemplate,
    private readonly change: UpdateTemplate,
    private readonly deletion: DeleteTemplate,
    private readonly drafts: TemplateDrafts,
    private readonly issues: TemplateIssues,
  ) {}

  @Operation('templates.list')
  async list(
    @Call() { accountId }: ApiCall,
    @Query(query(parsePageQuery)) page: PageQuery,
  ): Promise<ApiResponse> {
    const rows = await this.templates.page(accountId, page);
    const present = ({ template, published }: (typeof rows)[number]) => templateListItem(template, published);
    return apiResponse(200, toPage(rows, page, present));
  }

  @Operation('templates.create')
  create(
    @Call() call: ApiCall,
    @Body(body(CreateTemplateBody, RULES)) input: CreateTemplateBody,
  ): Promise<ApiResponse> {
    const command = { principal: call.principal, share: shareOf(call), input };
    return call.respond((remember) => this.creation.execute(command, remember), shown(201));
  }

  @Operation('templates.get')
  async get(@Call() { accountId }: ApiCall, @uuidParam('template_id') id: string): Promise<ApiResponse> {
    return shown(200)(await this.templates.state(accountId, id));
  }

  @Operation('templates.update')
  update(
    @Call() call: ApiCall,
    @uuidParam('template_id') id: string,
    @Body(body(UpdateTemplateBody, RULES)) input: UpdateTemplateBody,
  ): Promise<ApiResponse> {
    const command = { principal: call.principal, share: shareOf(call), id, input };
    return call.respond((remember) => this.change.execute(command, remember), shown(200));
  }

  @Operation('templates.delete')
  async delete(@Call() { accountId }: ApiCall, @uuidParam('template_id') id: string): Promise<ApiResponse> {
    await this.deletion.execute({ accountId, id });
    return apiResponse(200, { message: 'template deleted successfully' });
  }

  @Operation('templates.get-draft')
  async getDraft(@Call() { accountId }: ApiCall, @uuidParam('template_id') id: string): Promise<ApiResponse> {
    const { template, draft } = await this.templates.draft(accountId, id);
    return apiResponse(200, templateDraftResource(template, draft, await this.issues.of(accountId, draft)));
  }

  @Operation('templates.discard-draft')
  async discardDraft(@Call() call: ApiCall, @uuidParam('template_id') id: string): Promise<ApiResponse> {
    return shown(200)(await this.drafts.discard({ principal: call.principal, id }));
  }

  @Operation('templates.publish')
  publish(@Call() call: ApiCall, @uuidParam('template_id') id: string): Promise<ApiResponse> {
    const command = { principal: call.principal, id };
    return call.respond((remember) => this.drafts.publish(command, remember), shown(200));
  }

  @Operation('templates.list-versions')
  async listVersions(
    @Call() { accountId }: ApiCall,
    @uuidParam('template_id') id: string,
  ): Promise<ApiResponse> {
    const versions = await this.templates.versions(accountId, id);
    const publishers = await this.templates.existingPublishers(accountId, versions);
    const data = versions.map((version) => templateVersionResource(version, publishers));
    return apiResponse(200, { object: 'list', data });
  }

  @Operation('templates.get-version')
  async getVersion(
    @Call() { accountId }: ApiCall,
    @Call(versionRef) { id, versionId }: VersionRef,
  ): Promise<ApiResponse> {
    const found = await this.templates.version(accountId, id, versionId);
    const publishers = await this.templates.existingPublishers(accountId, [found.version]);
    return apiResponse(200, templateVersionDetail(found, publishers));
  }

  @Operation('templates.restore-version')
  restore(
    @Call() call: ApiCall,
    @Call(versionRef) ref: VersionRef,
    @Body(optionalBody(RestoreBody)) { publish }: RestoreBody,
  ): Promise<ApiResponse> {
    const command = { principal: call.principal, ...ref, publish: publish ?? false };
    return call.respond((remember) => this.drafts.restore(command, remember), shown(200));
  }
}

const shown =
  (status: 200 | 201) =>
  ({ template, published }: TemplateState): ApiResponse =>
    apiResponse(status, templateResource(template, published));
