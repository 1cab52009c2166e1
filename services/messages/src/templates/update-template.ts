import { Injectable } from '@nestjs/common';
import { ApiError, type Principal } from '@postmesh/contracts';
import type { DesignShare } from '@postmesh/designs';
import { forgetResult, type Remember } from '@postmesh/service-host';
import { ApplyTemplateBody } from './apply-template-body.js';
import { TemplateChanges } from './template-changes.js';
import type { TemplateState } from './template.js';
import type { UpdateTemplateBody } from './template.schema.js';

interface Update {
  principal: Principal;
  id: string;
  input: UpdateTemplateBody;
  share: DesignShare;
}

/** `PUT …/templates/{id}`: sets the name at once, everything else in the draft (spec 2-messages §6.4 rules 1 to 3). */
@Injectable()
export class UpdateTemplate {
  constructor(
    private readonly body: ApplyTemplateBody,
    private readonly changes: TemplateChanges,
  ) {}

  /** @throws ApiError 400, 404 or 503 */
  execute(
    { principal, id, input, share }: Update,
    remember: Remember<TemplateState> = forgetResult,
  ): Promise<TemplateState> {
    const { name, publish, ...fields } = input;
    requireChange(input);
    const apply = this.body.of(principal.account_id, share, fields);
    return this.changes.change(
      principal,
      id,
      async ({ template, ...copies }) => ({
        name: name ?? template.name,
        copy: await apply(template.editor, copies),
        publish: publish ?? false,
      }),
      remember,
    );
  }
}

/** A `publish` of null counts as absent; in other fields null has a meaning. */
function requireChange({ publish, ...fields }: UpdateTemplateBody): void {
  const given = [publish ?? undefined, ...Object.values(fields)];
  if (given.every((value) => value === undefined)) throw new ApiError(400, 'no changes given');
}
