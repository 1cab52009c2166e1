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

  /**
   * With its line: `line 3: unknown filter "shout"`.
   * @param at for an error that does not know where it is
   */
  located(source: string, at = 0): TemplateError {
    const Kind = this instanceof TimeExceeded ? TimeExceeded : TemplateError;
    return new Kind(`line ${lineAt(source, this.at ?? at)}: ${this.reason}`);
  }
}

/** The time was over: on a machine that is less busy the same may end in time. */
export class TimeExceeded extends TemplateError {}

/** @returns from 1 */
function lineAt(source: string, at: number): number {
  let line = 1;
  for (let newline = source.indexOf('\n'); newline !== -1 && newline < at; line++) {
    newline = source.indexOf('\n', newline + 1);
  }
  return line;
}
