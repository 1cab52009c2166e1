/** How templates mark what is rendered: each opening with its end. */
const MARKS: Readonly<Record<string, string>> = { '{{': '}}', '{%': '%}', '{#': '#}' };

interface Mark {
  start: number;
  end: number;
}

/** The ranges of template language, in order. The text after an unclosed mark cannot be rendered. */
export function* marksOf(source: string): Generator<Mark> {
  for (let start = source.indexOf('{'); start >= 0;) {
    const close = MARKS[source.slice(start, start + 2)];
    const at = close === undefined ? -1 : source.indexOf(close, start + 2);
    if (close !== undefined && at < 0) return;
    if (close !== undefined) yield { start, end: at + close.length };
    start = source.indexOf('{', close === undefined ? start + 1 : at + close.length);
  }
}
