/**
 * The reason why a template cannot be rendered: never, or not with these values. The text is for the template's
 * author.
 */
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
   * @param at the offset if the error has none
   */
  located(source: string, at = 0): TemplateError {
    const Kind = this instanceof TimeExceeded ? TimeExceeded : TemplateError;
    return new Kind(`line ${lineAt(source, this.at ?? at)}: ${this.reason}`);
  }
}

/** The time limit was exceeded: on a less busy machine the same rendering may succeed. */
export class TimeExceeded extends TemplateError {}

/** @returns from 1 */
function lineAt(source: string, at: number): number {
  let line = 1;
  for (let newline = source.indexOf('\n'); newline !== -1 && newline < at; line++) {
    newline = source.indexOf('\n', newline + 1);
  }
  return line;
}
