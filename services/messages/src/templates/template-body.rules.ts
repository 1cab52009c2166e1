import { ApiError } from '@postmesh/contracts';
import { requireRenderable } from './template-state.rules.js';
import type { Editor, TemplateBody, TemplateState } from './template.js';
import type { ContentInput, CreateTemplateBody } from './template.schema.js';

type Given = string | null | undefined;

/** What a request says about the body; null of `mjml` and `html` is the same as not given. */
export interface GivenContent {
  mjml: string | undefined;
  html: string | undefined;
  /** null: to be made from the HTML */
  text: Given;
}

export const givenContent = ({ mjml, html, text }: ContentInput): GivenContent => ({
  mjml: mjml ?? undefined,
  html: html ?? undefined,
  text,
});

/** The editor of a new template (spec 2-messages §6.3). @throws ApiError 400 */
export function editorOf({ editor, content }: Pick<CreateTemplateBody, 'editor' | 'content'>): Editor {
  const given = content && givenContent(content);
  const follows = given?.mjml !== undefined ? 'advanced' : given?.html !== undefined ? 'html' : undefined;
  const chosen = editor ?? follows;
  if (chosen === undefined) {
    throw new ApiError(400, 'editor is required when content has neither mjml nor html');
  }
  if (given) requireEditor(chosen, given);
  return chosen;
}

/** @throws ApiError 400 for a design that the editor does not have */
export function requireEditor(editor: Editor, { mjml, html }: GivenContent): void {
  if (mjml !== undefined && editor !== 'advanced') {
    throw new ApiError(400, `content.mjml is for the editor advanced, not for ${editor}`);
  }
  if (html !== undefined && editor !== 'html') {
    throw new ApiError(400, `content.html is for the editor html, not for ${editor}`);
  }
}

/** The design of a write: a new one, or the one that the draft has. */
export type Design =
  | { kind: 'kept' }
  /** equal to one that is stored: not compiled or checked again */
  | { kind: 'stored'; body: TemplateBody }
  | { kind: 'new'; source: { mjml: string } | { html: string } };

/** Spec 2-messages §6.3 rule 3. */
export function designOf(given: GivenContent, current: TemplateBody, published: TemplateBody): Design {
  const { mjml, html } = given;
  if (mjml === undefined && html === undefined) return { kind: 'kept' };
  const isSame = (body: TemplateBody) => (mjml === undefined ? body.html === html : body.mjml === mjml);
  if (isSame(current)) return { kind: 'kept' };
  if (isSame(published)) return { kind: 'stored', body: published };
  return { kind: 'new', source: mjml === undefined ? { html: html ?? '' } : { mjml } };
}

/** `made` is the text of the HTML that the template then has; null: it has none. */
export interface TextChoice {
  given: Given;
  isNewDesign: boolean;
  current: TemplateBody;
  /** texts that were made earlier, of the draft and of the published copy */
  earlier: readonly (string | null)[];
}

/** Whether the text of the HTML has to be known: to be taken, or to be compared with. */
export function needsMadeText({ given, isNewDesign, current }: TextChoice): boolean {
  if (isNewDesign || given === null) return true;
  if (given === undefined || given === current.text) return false;
  return current.html !== null;
}

/**
 * Spec 2-messages §6.3 rule 5.
 * @param made undefined where `needsMadeText` says so
 * @throws ApiError 400 when there is no HTML to make a text from, or the given text cannot be rendered
 */
export function chooseText(
  { given, isNewDesign, current, earlier }: TextChoice,
  made: string | null | undefined,
): Pick<TemplateBody, 'text' | 'textIsCustom'> {
  const fromHtml = { text: made || null, textIsCustom: false };
  if (given === null || given === undefined) {
    if (!isNewDesign && given === undefined) return current;
    if (made === null) throw new ApiError(400, 'content.text cannot be made: there is no HTML');
    return fromHtml;
  }
  if (!isNewDesign && given === current.text) return current;
  if (given === made || (isNewDesign && earlier.includes(given))) return fromHtml;
  requireRenderable('content.text', given);
  return { text: given, textIsCustom: true };
}

/** Texts that were made from HTML, and so do not become custom by being sent back. */
export const madeTexts = ({ draft, published }: Omit<TemplateState, 'template'>): (string | null)[] =>
  [draft, published].flatMap((copy) => (copy && !copy.textIsCustom ? [copy.text] : []));
