import { Injectable } from '@nestjs/common';
import type { Principal } from '@postmesh/contracts';
import type { DesignShare } from '@postmesh/designs';
import { forgetResult, type Remember } from '@postmesh/service-host';
import { ApplyTemplateBody } from './apply-template-body.js';
import { editorOf } from './template-editor.rules.js';
import { TemplateChanges } from './template-changes.js';
import type { TemplateState } from './template.js';
import type { CreateTemplateBody } from './template.schema.js';

/** `POST …/templates` (spec 2-messages §6.3). */
@Injectable()
export class CreateTemplate {
  constructor(
    private readonly body: ApplyTemplateBody,
    private readonly changes: TemplateChanges,
  ) {}

  /** @throws ApiError 400 or 401 */
  async execute(
    { principal, input, share }: { principal: Principal; input: CreateTemplateBody; share: DesignShare },
    remember: Remember<TemplateState> = forgetResult,
  ): Promise<TemplateState> {
    const editor = editorOf(input);
    const { name, publish } = input;
    const apply = this.body.of(principal.account_id, share, input);
    const copy = await apply(editor, { draft: undefined, published: undefined });
    return this.changes.create(principal, { editor }, { name, copy, publish: publish ?? false }, remember);
  }
}
