/**
 * Images and stylesheets are at full `https://` URLs; where a template expression may stand: only for a whole URL, or
 * also at the beginning of one.
 */
export type UrlPolicy = 'expression-is-whole' | 'expression-begins';

/**
 * What the thread is asked for: to compile MJML into at most so much HTML, or to look at HTML, with its URLs where they
 * are to be checked. The text is made of either.
 */
export type DesignJob = MjmlJob | { html: string; urls: UrlPolicy | null };

export interface MjmlJob {
  mjml: string;
  urls: UrlPolicy;
  maxHtmlMiB: number;
}

export interface DesignProblem {
  /** in the source, from 1; missing where it is about the whole */
  line?: number;
  message: string;
}

export interface MadeDesign {
  html: string;
  text: string;
  /** html and text are '' when there is one */
  problems: DesignProblem[];
}
