import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { backoffMs, pause } from '@postmesh/concurrency';
import { ApiError, ApiErrors, newId, type AccountId, type Principal } from '@postmesh/contracts';
import { forgetResult, type Remember } from '@postmesh/service-host';
import { templateVariables } from '@postmesh/templates';
import { requirePresent } from '../account-changes/require-present.js';
import { settle, type Transition, type WantedState } from './template-state.rules.js';
import type {
  CopyFields,
  DraftCopy,
  Publisher,
  Template,
  TemplateCopy,
  TemplateState,
  TemplateVariable,
} from './template.js';
import { TemplatesRepository } from './templates.repository.js';

// In each round at least one of the concurrent writers succeeds.
const ROUNDS = 8;
const BACKOFF = { firstMs: 10, maxMs: 200, spread: 0.5 };
// Lists show variables, and a page has a hundred templates.
const MAX_VARIABLES_BYTES = 64 * 1024;

/** The new state that a write makes of the current one. It may be called again, after a concurrent write. */
export type Decide = (state: TemplateState) => Promise<WantedState> | WantedState;

/**
 * Every write of a template (spec 2-messages §6.4): read, decide, and write if the revision is unchanged
 * (rule 8). So no lock is held while a design is compiled or a domain is queried.
 */
@Injectable()
export class TemplateChanges {
  constructor(
    private readonly dataSource: DataSource,
    private readonly templates: TemplatesRepository,
  ) {}

  /** @throws ApiError 400, 404, or 503 when concurrent writes win every round */
  async change(
    principal: Principal,
    id: string,
    decide: Decide,
    remember: Remember<TemplateState> = forgetResult,
  ): Promise<TemplateState> {
    const { account_id: accountId } = principal;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const state = await this.templates.findState(accountId, id);
      if (!state) throw ApiErrors.notFound('template');
      const { template } = state;
      const transition = settle(state, template.name, await decide(state));
      if (!transition.changes) return state;
      const next = nextState(state, transition);
      if (await this.write(next, publisherOf(principal, transition), remember)) return next;
      await pause(backoffMs(round, BACKOFF));
    }
    throw new ApiError(503, 'template is being changed by another request, try again', {
      'retry-after': '1',
    });
  }

  /** @throws ApiError 400 or 401 */
  async create(
    principal: Principal,
    template: Pick<Template, 'editor'>,
    wanted: WantedState,
    remember: Remember<TemplateState> = forgetResult,
  ): Promise<TemplateState> {
    const state = newState(principal.account_id, template.editor, wanted.name);
    const transition = settle(state, wanted.name, wanted);
    const created = nextState(state, transition);
    await this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, principal.account_id);
      await this.templates.insert(tx, created.template);
      await this.writeCopies(tx, created, publisherOf(principal, transition));
      await remember(tx, created);
    });
    return created;
  }

  /** @returns false when the template has changed since it was read */
  private write(
    next: NextState,
    publisher: Publisher | undefined,
    remember: Remember<TemplateState>,
  ): Promise<boolean> {
    return this.dataSource.transaction(async (tx) => {
      if (!(await this.templates.update(tx, next.template))) return false;
      await this.writeCopies(tx, next, publisher);
      await this.templates.dropUnusedCopies(tx, next.template.id);
      await remember(tx, next);
      return true;
    });
  }

  private async writeCopies(
    tx: Parameters<Remember<TemplateState>>[0],
    { template, newCopy }: NextState,
    publisher: Publisher | undefined,
  ): Promise<void> {
    if (newCopy) await this.templates.insertCopy(tx, template.id, newCopy);
    if (publisher) await this.templates.insertVersion(tx, template, publisher, newId());
  }
}

interface NextState extends TemplateState {
  /** a copy that is not stored yet */
  newCopy: TemplateCopy | undefined;
}

/** The publisher; undefined when nothing is published. */
function publisherOf({ key_id, member }: Principal, { publishes }: Transition): Publisher | undefined {
  if (!publishes) return undefined;
  return member ? { type: 'user', id: member.user_id } : { type: 'api_key', id: key_id };
}

function newState(accountId: AccountId, editor: Template['editor'], name: string): TemplateState {
  const now = new Date();
  const template: Template = {
    id: newId(),
    accountId,
    createdAt: now,
    updatedAt: now,
    name,
    editor,
    revision: 0,
    publishedId: null,
    draftId: null,
    draftAt: null,
    lastVersion: 0,
  };
  return { template, draft: undefined, published: undefined };
}

function nextState(state: TemplateState, { name, draft, publishes }: Transition): NextState {
  const { template } = state;
  const now = new Date();
  const copy = draft && storedCopy(draft);
  const published = publishes ? copy : state.published;
  const left = publishes ? undefined : copy;
  const isSameDraft = left?.id === template.draftId;
  return {
    template: {
      ...template,
      revision: template.revision + 1,
      name,
      updatedAt: publishes || name !== template.name ? now : template.updatedAt,
      publishedId: published?.id ?? null,
      draftId: left?.id ?? null,
      draftAt: left ? (isSameDraft ? template.draftAt : now) : null,
      lastVersion: template.lastVersion + (publishes ? 1 : 0),
    },
    draft: left,
    published,
    newCopy: draft?.id === undefined ? copy : undefined,
  };
}

/** @throws ApiError 400 when the design has too many variables */
function storedCopy(draft: DraftCopy): TemplateCopy {
  return { ...draft, id: draft.id ?? newId(), variables: draft.variables ?? variablesOf(draft) };
}

/** By their first appearance in HTML, text and preview text (spec 2-messages §4 rule 14). */
function variablesOf({ html, text, preheader }: CopyFields): TemplateVariable[] {
  const variables = templateVariables([html ?? '', text ?? '', preheader]).map(({ name, required }) => ({
    name,
    required,
  }));
  if (JSON.stringify(variables).length > MAX_VARIABLES_BYTES) {
    throw new ApiError(400, 'content has too many variables');
  }
  return variables;
}
