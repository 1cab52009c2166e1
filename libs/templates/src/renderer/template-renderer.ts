import type { RenderedParts, RenderJob } from './render-job.js';

/** More is waiting to be rendered than may wait: the caller is to try again later. */
export class RendererBusy extends Error {
  override readonly name = 'RendererBusy';
}

export interface RendererOptions {
  /** default 1 */
  readonly threads?: number;
  /** jobs that may wait, of all keys; one key may have a quarter of them. Default 1,000. */
  readonly maxPending?: number;
}

/** Renders in threads of its own, never in the caller's. One per service process. */
export class TemplateRenderer {
  constructor(private readonly options: RendererOptions = {}) {}

  /**
   * @returns one result per recipient, in the order of the values
   * @throws RendererBusy when too much is waiting; Error after `close`
   */
  render(job: RenderJob): Promise<RenderedParts[]> {
    return Promise.reject(new Error(`not yet: ${job.key} ${this.options.threads}`));
  }

  /** Ends the threads. What is still waiting fails. */
  async close(): Promise<void> {}
}
