import type { DesignBody } from '../design.js';
import type { DesignJob, MadeDesign } from '../thread/design-job.js';
import type { ContentPolicy } from './content-policy.js';
import {
  chooseDesign,
  chooseText,
  earlierTexts,
  needsMadeText,
  type DesignChoice,
  type GivenContent,
  type StoredBodies,
} from './content-choice.rules.js';
import { requireRenderable, requireRenderableDesign } from './renderable.rules.js';

/** Such as `Designs.make` for an account. */
export type MakeDesign = (job: DesignJob) => Promise<MadeDesign>;

/**
 * The stored result of a write of `content` (spec 2-messages §6.3 content rules, spec 3-marketing §3.2 U9 to U16).
 * The caller has checked the editor.
 * @param make called only to compile, to check or to derive a text
 * @throws ApiError 400
 */
export async function applyContent(
  given: GivenContent,
  stored: StoredBodies,
  { policy, make }: { policy: ContentPolicy; make: MakeDesign },
): Promise<DesignBody> {
  const { current } = stored;
  const design = chooseDesign(given, stored);
  const made = design.kind === 'new' ? await make(jobOf(design.source, policy)) : undefined;
  const fields = designFields(design, current, made);
  if (made && policy.mustRender) requireRenderableDesign(fields);
  const isNewDesign = design.kind !== 'kept';
  const choice = { given: given.text, isNewDesign, current, earlier: earlierTexts(stored), policy };
  const text = needsMadeText(choice) ? await madeText(design, { ...fields, current, made }, make) : undefined;
  const chosen = chooseText(choice, text);
  // a condition that opens in the head, which no text has, and closes in the body
  if (policy.mustRender && text !== undefined && !chosen.textIsCustom) {
    requireRenderable('the text made from the HTML', chosen.text);
  }
  return { ...fields, ...chosen };
}

const jobOf = (source: { mjml: string } | { html: string }, policy: ContentPolicy): DesignJob => ({
  ...source,
  urls: policy.urls,
  maxHtmlMiB: policy.maxHtmlMiB,
});

function designFields(
  design: DesignChoice,
  current: DesignBody,
  made: MadeDesign | undefined,
): Pick<DesignBody, 'mjml' | 'html'> {
  if (design.kind === 'new') {
    return { mjml: 'mjml' in design.source ? design.source.mjml : null, html: made?.html ?? null };
  }
  const { mjml, html } = design.kind === 'stored' ? design.body : current;
  return { mjml, html };
}

/** @returns null without HTML */
async function madeText(
  design: DesignChoice,
  { html, current, made }: { html: string | null; current: DesignBody; made: MadeDesign | undefined },
  make: MakeDesign,
): Promise<string | null> {
  if (made) return made.text;
  if (html === null) return null;
  const stored = design.kind === 'stored' ? design.body : current;
  if (!stored.textIsCustom) return stored.text ?? '';
  // stored HTML is not checked again
  return (await make({ html, urls: null })).text;
}
