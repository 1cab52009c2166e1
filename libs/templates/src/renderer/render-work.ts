import type { Limits } from '../language/limits.js';
import type { RenderedParts, RenderLimits, TemplatePart } from './render-job.js';

// The messages between the renderer and its threads.

/** Given to a thread at its start. */
export interface ThreadInput {
  readonly limits: Limits;
  /** written by the thread, read by the renderer when the thread has ended or does not reply */
  readonly progress: Int32Array;
}

/** Indexes in `progress`. */
export const PROGRESS = {
  /** increases with each part, so that two readings show whether there is progress */
  beat: 0,
  /** index of the recipient in the chunk, from 0; NO_ITEM before the first */
  item: 1,
  part: 2,
  /** templates that were compiled since the thread began */
  compiled: 3,
} as const;
export const NO_ITEM = -1;

/** Some recipients of one job. */
export interface RenderChunk {
  readonly parts: readonly TemplatePart[];
  /** values of each recipient, as JSON */
  readonly values: readonly string[];
  readonly limits?: RenderLimits | undefined;
}

/** Results of the first recipients of the chunk: a thread stops at its time limit, after one at least. */
export type ChunkResult = readonly RenderedParts[];
