import { Injectable } from '@nestjs/common';
import { ApiErrors, type Principal } from '@postmesh/contracts';
import { forgetResult, type Remember } from '@postmesh/service-host';
import { TemplateChanges } from './template-changes.js';
import { EMPTY_COPY, type TemplateState } from './template.js';
import { TemplatesRepository } from './templates.repository.js';

interface DraftCommand {
  principal: Principal;
  /** of the template */
  id: string;
}

/** Changes of a draft as a whole (spec 2-messages §6.4 rules 3, 4 and 6). */
@Injectable()
export class TemplateDrafts {
  constructor(
    private readonly templates: TemplatesRepository,
    private readonly changes: TemplateChanges,
  ) {}

  /** No effect without a draft. @throws ApiError 404 or 503 */
  discard({ principal, id }: DraftCommand): Promise<TemplateState> {
    return this.changes.change(principal, id, ({ template, published }) => ({
      name: template.name,
      copy: published ?? EMPTY_COPY,
      publish: false,
    }));
  }

  /** @throws ApiError 400, 404 or 503 */
  publish(
    { principal, id }: DraftCommand,
    remember: Remember<TemplateState> = forgetResult,
  ): Promise<TemplateState> {
    return this.changes.change(
      principal,
      id,
      ({ template, draft, published }) => ({
        name: template.name,
        copy: draft ?? published ?? EMPTY_COPY,
        publish: true,
      }),
      remember,
    );
  }

  /** The copy of a version becomes the draft, and with `publish` the published copy. @throws ApiError 400, 404 or 503 */
  restore(
    { principal, id, versionId, publish }: DraftCommand & { versionId: string; publish: boolean },
    remember: Remember<TemplateState> = forgetResult,
  ): Promise<TemplateState> {
    return this.changes.change(
      principal,
      id,
      async ({ template }) => {
        const found = await this.templates.version(template.id, versionId);
        if (!found) throw ApiErrors.notFound('template version');
        return { name: template.name, copy: found.copy, publish };
      },
      remember,
    );
  }
}
