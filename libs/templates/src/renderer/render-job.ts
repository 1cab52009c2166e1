import type { FairItem } from '@postmesh/concurrency';

/** One text that is rendered: a body, the subject, the value of a header. */
export interface TemplatePart {
  /** its name in errors, such as `html_content` */
  readonly name: string;
  readonly source: string;
  /** values are escaped for HTML unless they are marked `|safe`; `all`: so is the plain text of the source */
  readonly escape: boolean | 'all';
  /** only the size is needed: `texts` has '' for it, and the rendered text is not sent to the caller's thread */
  readonly measured?: boolean;
}

export interface RenderJob extends FairItem {
  readonly parts: readonly TemplatePart[];
  /** JSON values, one object per recipient */
  readonly values: readonly Readonly<Record<string, unknown>>[];
  /** lower than the limits of all templates */
  readonly limits?: RenderLimits;
  /** aborted when the result is no longer needed: the rest is not rendered, and the job fails with its reason */
  readonly signal?: AbortSignal | undefined;
}

export interface RenderLimits {
  /** of one part */
  readonly loopSteps: number;
  readonly outputBytes: number;
}

/** The result of the parts for one recipient. */
export type RenderedParts =
  | {
      readonly ok: true;
      /** in the order of the parts in the job */
      readonly texts: string[];
      /** bytes in UTF-8, also of parts that are only measured */
      readonly sizes: number[];
    }
  | {
      readonly ok: false;
      readonly part: string;
      readonly reason: string;
      /** it took too long, or too much memory with other jobs running: a later try may succeed */
      readonly slow?: true;
    };
