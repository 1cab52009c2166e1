/** Why a template cannot be rendered: at all, or with these values. The words are for whoever wrote it. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';

  /**
   * @param reason without the line
   * @param at offset in the source
   */
  constructor(
    readonly reason: string,
    readonly at?: number,
  ) {
    super(reason);
  }

  /** `line 3: unknown filter "shout"` */
  describe(source: string, fallbackAt = 0): string {
    return `line ${lineAt(source, this.at ?? fallbackAt)}: ${this.reason}`;
  }
}

/** @returns from 1 */
function lineAt(source: string, at: number): number {
  let line = 1;
  for (let newline = source.indexOf('\n'); newline !== -1 && newline < at; line++) {
    newline = source.indexOf('\n', newline + 1);
  }
  return line;
}
