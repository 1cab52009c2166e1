import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '@postmesh/contracts';
import { hasBody, requireRenderable } from '@postmesh/designs';
import {
  EMPTY_COPY,
  type CopyFields,
  type DraftCopy,
  type TemplateCopy,
  type TemplateState,
} from './template.js';

/** The target of a write: the template's name and draft, and whether to publish it. */
export interface WantedState {
  name: string;
  copy: DraftCopy;
  publish: boolean;
}

/** The steps to a target. */
export interface Transition {
  name: string;
  /** undefined: there is none afterwards. With `publishes` it becomes the published copy */
  draft: DraftCopy | undefined;
  publishes: boolean;
  /** false: the template has this state already, and nothing is written */
  changes: boolean;
}

/**
 * Spec 2-messages §6.4 rules 3 and 4: a draft that equals the published copy is none, and a published copy
 * is not published again.
 * @throws ApiError 400 when there is nothing to publish, or it cannot be rendered
 */
export function settle(
  state: Omit<TemplateState, 'template'>,
  name: string,
  wanted: WantedState,
): Transition {
  const { published = EMPTY_COPY } = state;
  const draft = isSameCopy(wanted.copy, published) ? undefined : reuse(wanted.copy, state.draft);
  if (wanted.publish) requirePublishable(draft ?? published);
  const publishes = wanted.publish && draft !== undefined;
  const changes = publishes || wanted.name !== name || draft?.id !== state.draft?.id || isNew(draft);
  return { name: wanted.name, draft, publishes, changes };
}

/** The stored draft, if it is the same: then nothing has to be written. */
const reuse = (copy: DraftCopy, stored: TemplateCopy | undefined): DraftCopy =>
  stored && isSameCopy(copy, stored) ? stored : copy;

const isNew = (draft: DraftCopy | undefined): boolean => draft !== undefined && draft.id === undefined;

const fieldsOf = ({
  subject,
  preheader,
  from,
  replyTo,
  mjml,
  html,
  text,
  textIsCustom,
  design,
}: CopyFields): CopyFields => ({
  subject,
  preheader,
  from,
  replyTo,
  mjml,
  html,
  text,
  textIsCustom,
  design,
});

const isSameCopy = (a: CopyFields, b: CopyFields): boolean => isDeepStrictEqual(fieldsOf(a), fieldsOf(b));

/** @throws ApiError 400. A published copy has more restrictions than a draft (spec 2-messages §6.3 rule 6). */
function requirePublishable(copy: CopyFields): void {
  if (!hasBody(copy)) throw new ApiError(400, 'template has no content to publish');
  requireRenderable('content.html', copy.html);
  requireRenderable('content.text', copy.text);
  requireRenderable('subject', copy.subject);
  requireRenderable('preheader', copy.preheader);
}
