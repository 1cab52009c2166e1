/**
 * Images and stylesheets need full `https://` URLs; the policy says where a template expression is allowed: only as
 * a whole URL, or also at the beginning of one.
 */
export type UrlPolicy = 'expression-is-whole' | 'expression-begins';

/**
 * A job of the thread: to compile MJML into a limited amount of HTML, or to parse HTML, with a check of its URLs if
 * `urls` is set. Both return the text.
 */
export type DesignJob = MjmlJob | { html: string; urls: UrlPolicy | null };

export interface MjmlJob {
  mjml: string;
  urls: UrlPolicy;
  maxHtmlMiB: number;
}

export interface DesignProblem {
  /** in the source, from 1; missing for a problem of the whole */
  line?: number;
  message: string;
}

export interface MadeDesign {
  html: string;
  text: string;
  /** html and text are '' when there is one */
  problems: DesignProblem[];
}
