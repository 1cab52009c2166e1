/** Lines of a text by position; positions are asked for in ascending order, so that the text is read once. */
export class LineCounter {
  line = 1;
  position = 0;

  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  /** @param {number} position @returns {number} from 1 */
  at(position) {
    for (let end = this.nextBreak(); end >= 0 && end < position; end = this.nextBreak()) {
      this.line += 1;
      this.position = end + 1;
    }
    return this.line;
  }

  nextBreak() {
    return this.text.indexOf('\n', this.position);
  }
}
