import { ApiError } from '@postmesh/contracts';
import type { DesignBody, Editor } from '../design.js';
import type { ContentInput } from './content-fields.js';
import type { ContentPolicy } from './content-policy.js';
import { requireRenderable } from './renderable.rules.js';

type Given = string | null | undefined;

/** The body fields of a request; null of `mjml` and `html` means not given. */
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

/** @returns undefined without a design, which suits any editor */
export function editorOfDesign({ mjml, html }: Pick<GivenContent, 'mjml' | 'html'>): Editor | undefined {
  return mjml !== undefined ? 'advanced' : html !== undefined ? 'html' : undefined;
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

/** @throws ApiError 409 */
export function requireSimple({ editor }: { editor: Editor | null }): void {
  if (editor === null) throw new ApiError(409, 'there is no design yet');
  if (editor !== 'simple') throw new ApiError(409, `the editor of this design is ${editor}, not simple`);
}

/**
 * The editor after a write of a campaign or a campaign template (spec 3-marketing §3.2 U9 to U11): it is set by the
 * first design and never changes.
 * @param editor null: there is no design yet
 * @throws ApiError 400
 */
export function editorAfter(editor: Editor | null, given: GivenContent): Editor {
  if (editor !== null) {
    requireEditor(editor, given);
    return editor;
  }
  const first = editorOfDesign(given);
  if (first === undefined) throw new ApiError(400, 'content must have mjml or html while there is no design');
  return first;
}

/** Bodies that are stored before a write. */
export interface StoredBodies {
  /** the one that the write changes */
  current: DesignBody;
  /** other stored bodies of the same object, such as a published copy */
  others: readonly DesignBody[];
}

/** The design of a write: a new one, or one that is stored. */
export type DesignChoice =
  | { kind: 'kept' }
  /** equal to another stored design: not compiled or checked again */
  | { kind: 'stored'; body: DesignBody }
  | { kind: 'new'; source: { mjml: string } | { html: string } };

/**
 * A design that equals a stored one is not compiled or checked again (spec 2-messages §6.3 rule 3, spec 3-marketing
 * §3.2 U16).
 */
export function chooseDesign(given: GivenContent, { current, others }: StoredBodies): DesignChoice {
  const { mjml, html } = given;
  if (mjml === undefined && html === undefined) return { kind: 'kept' };
  const isSame = (body: DesignBody) => (mjml === undefined ? body.html === html : body.mjml === mjml);
  if (isSame(current)) return { kind: 'kept' };
  const stored = others.find(isSame);
  if (stored) return { kind: 'stored', body: stored };
  return { kind: 'new', source: mjml === undefined ? { html: html ?? '' } : { mjml } };
}

/** The input of choosing the text of a write. */
export interface TextChoice {
  given: Given;
  isNewDesign: boolean;
  current: DesignBody;
  /** texts that were made from stored HTML, and so do not become custom when they are sent back */
  earlier: readonly (string | null)[];
  policy: Pick<ContentPolicy, 'keepsCustomText'>;
}

export const earlierTexts = ({ current, others }: StoredBodies): (string | null)[] =>
  [current, ...others].flatMap(({ text, textIsCustom }) => (textIsCustom ? [] : [text]));

/** Whether the text of the HTML is needed: as the result, or for comparison. */
export function needsMadeText(choice: TextChoice): boolean {
  const { given, isNewDesign, current } = choice;
  if (given === null) return true;
  if (given === undefined) return isNewDesign && !staysCustom(choice);
  if (isNewDesign) return true;
  return !isKnown(choice, given) && current.html !== null;
}

/** The custom text is kept with a new design that has no text. */
const staysCustom = ({ current, policy }: TextChoice): boolean =>
  policy.keepsCustomText && current.textIsCustom;

/**
 * An unchanged text needs no comparison with the HTML, except one that was kept with a new design: it may equal the
 * text of that design.
 */
const isKnown = ({ current, policy }: TextChoice, given: string): boolean =>
  given === current.text && !(policy.keepsCustomText && current.textIsCustom);

/**
 * Spec 2-messages §6.3 rule 5, spec 3-marketing §3.2 U12, U13 and U15.
 * @param made the text of the HTML after the write, null without HTML; undefined where `needsMadeText` says so
 * @throws ApiError 400 when there is no HTML to make a text from, or a text that is written by hand cannot be
 *   rendered
 */
export function chooseText(
  choice: TextChoice,
  made: string | null | undefined,
): Pick<DesignBody, 'text' | 'textIsCustom'> {
  const { given, isNewDesign, current, earlier } = choice;
  const stays = { text: current.text, textIsCustom: current.textIsCustom };
  if (given === undefined && !isNewDesign) return stays;
  if (given === undefined && staysCustom(choice)) return requireCustom(stays.text ?? '');
  if (given === undefined || given === null) {
    if (made === null) throw new ApiError(400, 'content.text cannot be made: there is no HTML');
    return { text: made || null, textIsCustom: false };
  }
  if (!isNewDesign && isKnown(choice, given)) return stays;
  if (given === made || (isNewDesign && earlier.includes(given))) {
    return { text: made || null, textIsCustom: false };
  }
  return requireCustom(given);
}

function requireCustom(text: string): Pick<DesignBody, 'text' | 'textIsCustom'> {
  requireRenderable('content.text', text);
  return { text, textIsCustom: true };
}
