/** The editors: MJML, blocks of an editor outside of the API, HTML. */
export const EDITORS = ['advanced', 'simple', 'html'] as const;
export type Editor = (typeof EDITORS)[number];

/** The parts of a design. `html` of the editor `advanced` is compiled from `mjml`. */
export interface DesignBody {
  mjml: string | null;
  html: string | null;
  text: string | null;
  /** false: the text was made from the HTML, and is made again with each new design */
  textIsCustom: boolean;
}

/** The body before the first design. */
export const NO_DESIGN: DesignBody = { mjml: null, html: null, text: null, textIsCustom: false };

/** Whether there is content to send. */
export const hasBody = ({ html, text }: Pick<DesignBody, 'html' | 'text'>): boolean =>
  html !== null || text !== null;
