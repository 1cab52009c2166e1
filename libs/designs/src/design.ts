/** How a design is made: MJML, blocks of an editor that is outside of the API, HTML. */
export const EDITORS = ['advanced', 'simple', 'html'] as const;
export type Editor = (typeof EDITORS)[number];

/** What a design is made of. `html` of the editor `advanced` is compiled from `mjml`. */
export interface DesignBody {
  mjml: string | null;
  html: string | null;
  text: string | null;
  /** false: the text was made from the HTML, and is made again with each new design */
  textIsCustom: boolean;
}

/** What is there before anything was designed. */
export const NO_DESIGN: DesignBody = { mjml: null, html: null, text: null, textIsCustom: false };

/** Whether there is something to send. */
export const hasBody = ({ html, text }: Pick<DesignBody, 'html' | 'text'>): boolean =>
  html !== null || text !== null;
