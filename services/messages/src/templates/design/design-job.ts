/**
 * What the thread is asked for: to compile MJML, or to look at HTML, with its URLs where they are to be checked. The
 * text is made of either.
 */
export type DesignJob = { mjml: string } | { html: string; check: boolean };

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
