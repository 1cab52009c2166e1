import type { FairItem } from '@postmesh/concurrency';

/** One text that is rendered: a body, the subject, the value of a header. */
export interface TemplatePart {
  /** what errors call it, such as `html_content` */
  readonly name: string;
  readonly source: string;
  /** values are escaped for HTML unless they are marked `|safe`; `all`: so is the text of the source, which is plain */
  readonly escape: boolean | 'all';
  /** only the size is wanted: `texts` has '' for it. What was rendered is not carried to the caller's thread. */
  readonly measured?: boolean;
}

export interface RenderJob extends FairItem {
  readonly parts: readonly TemplatePart[];
  /** JSON values, one object per recipient */
  readonly values: readonly Readonly<Record<string, unknown>>[];
  /** lower than those of all templates */
  readonly limits?: RenderLimits;
  /** the result is of no use any more: what is not rendered yet is not, and the job fails with its reason */
  readonly signal?: AbortSignal | undefined;
}

export interface RenderLimits {
  /** of one part */
  readonly loopSteps: number;
  readonly outputBytes: number;
}

/** What became of the parts for one recipient. */
export type RenderedParts =
  | {
      readonly ok: true;
      /** as the parts stand in the job */
      readonly texts: string[];
      /** bytes in UTF-8, also of parts that are only measured */
      readonly sizes: number[];
    }
  | {
      readonly ok: false;
      readonly part: string;
      readonly reason: string;
      /** it took too long, or too much with others beside it: at another time the same may be rendered */
      readonly slow?: true;
    };
