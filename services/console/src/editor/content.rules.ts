import { Problem, type ConsoleSchemas } from '../api/client';
import { t } from '../words/words';
import { codeOfDesign, designOfCode } from './blocks.rules';

/** A design as it is edited. */
export interface Content {
  readonly language: 'mjml' | 'html' | 'blocks';
  /** MJML, HTML, or the JSON of blocks */
  readonly code: string;
  readonly text: string;
  /** else the text is made from the HTML by the server */
  readonly textIsCustom: boolean;
  /** blocks of another editor, whose HTML alone is known */
  readonly isForeign: boolean;
}

interface Given {
  readonly mjml?: string;
  readonly html?: string;
  readonly text?: string;
  readonly text_is_custom: boolean;
}

/** @param blocks of a design of blocks */
export function contentOf(given: Given | null, blocks?: ConsoleSchemas['DesignBlocks']): Content {
  const text = { text: given?.text ?? '', textIsCustom: given?.text_is_custom ?? false };
  if (blocks) {
    const code = blocks.blocks === null ? '' : codeOfDesign(blocks.blocks);
    return { language: 'blocks', code, isForeign: blocks.is_foreign, ...text };
  }
  const language = given?.mjml === undefined && given?.html !== undefined ? 'html' : 'mjml';
  return { language, code: given?.mjml ?? given?.html ?? '', isForeign: false, ...text };
}

/** Another language before there is a design: blocks are no markup, and begin empty. */
export const inLanguage = (content: Content, language: Content['language']): Content => ({
  ...content,
  language,
  code: language === 'blocks' || content.language === 'blocks' ? '' : content.code,
});

/** `content` for the API: blocks are written apart, and of those of another editor the text alone. */
export function bodyOf({ language, code, isForeign, text, textIsCustom }: Content) {
  if (language === 'blocks') return isForeign ? { text: textIsCustom ? text : null } : undefined;
  return {
    ...(code.trim() === '' ? {} : { [language]: code }),
    ...(textIsCustom ? { text, text_is_custom: true } : { text_is_custom: false }),
  };
}

/**
 * The body of the block editor's write; undefined for other designs, and while there is no block.
 * @throws Problem for JSON that is no design
 */
export function blocksBodyOf({ language, code, isForeign, text, textIsCustom }: Content) {
  if (language !== 'blocks' || isForeign || code.trim() === '') return undefined;
  const blocks = designOfCode(code);
  if (!blocks) throw new Problem(0, t.editor.badSource, null);
  return { blocks, text: textIsCustom && text.trim() !== '' ? text : null };
}
