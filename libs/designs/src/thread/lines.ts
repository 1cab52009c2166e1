/** Lines of a text by position; positions must ascend, so that the text is read once. */
export class LineCounter {
  private line = 1;
  private position = 0;

  constructor(private readonly text: string) {}

  /** @returns from 1 */
  at(position: number): number {
    for (let end = this.nextBreak(); end >= 0 && end < position; end = this.nextBreak()) {
      this.line += 1;
      this.position = end + 1;
    }
    return this.line;
  }

  private nextBreak(): number {
    return this.text.indexOf('\n', this.position);
  }
}
