import { StringDecoder } from 'node:string_decoder';
import { ApiError } from '@postmesh/contracts';

/** A larger row is a mistake: of what the services export, a template is the largest. */
const MAX_ROW_CHARS = 4_194_304;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;

export interface JsonRow {
  /** line in the file, from 1 */
  line: number;
  value: Record<string, unknown>;
}

/**
 * The objects in the arrays of a JSON file, one by one, so that a file of any size needs the memory of one row. Several
 * documents may follow one another, as the pages of an API do; an object outside of arrays is a row as well when `alone`
 * says so.
 * @param names of the arrays within objects that have the rows; the outermost array needs none
 * @throws ApiError 400 with the line for what is no JSON
 */
export async function* jsonRows(
  stream: AsyncIterable<Buffer>,
  names: readonly string[],
  alone = false,
): AsyncGenerator<JsonRow> {
  const scanner = new Scanner(names, alone);
  const decoder = new StringDecoder('utf8');
  let isFirst = true;
  for await (const part of stream) {
    let text = decoder.write(part);
    if (isFirst && text !== '') {
      text = text.replace(/^\ufeff/, '');
      isFirst = false;
    }
    yield* scanner.read(text);
  }
  yield* scanner.read(decoder.end());
  scanner.end();
}

/** An object or array around the current position. */
interface Level {
  kind: '{' | '[';
  /** of an array: its rows are taken */
  hasRows: boolean;
}

class Scanner {
  private readonly levels: Level[] = [];
  private line = 1;
  private inText = false;
  private escaped = false;
  /** the latest text, which is the name of what follows it */
  private name = '';
  private textFrom: string[] = [];
  /** of the row that is being read: its depth, its first line and its text so far */
  private row: { depth: number; line: number; parts: string[]; chars: number } | undefined;

  constructor(
    private readonly names: readonly string[],
    private readonly alone: boolean,
  ) {}

  *read(text: string): Generator<JsonRow> {
    let from = 0;
    let nameFrom = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === LINE_FEED) this.line += 1;
      if (this.inText) {
        if (this.escaped) this.escaped = false;
        else if (code === BACKSLASH) this.escaped = true;
        else if (code === QUOTE) {
          this.inText = false;
          this.name = this.textFrom.join('') + text.slice(nameFrom, at);
        }
        continue;
      }
      if (code === QUOTE) {
        this.inText = true;
        this.textFrom = [];
        nameFrom = at + 1;
        continue;
      }
      const character = text[at];
      if (character === '{' || character === '[') {
        if (!this.row && this.beginsRow(character)) {
          this.row = { depth: this.levels.length, line: this.line, parts: [], chars: 0 };
          from = at;
        }
        const parent = this.levels.at(-1);
        const hasRows = !parent || (parent.kind === '{' && this.names.includes(this.name));
        this.levels.push({ kind: character, hasRows: character === '[' && hasRows });
        if (this.levels.length > 100) throw this.wrong('is nested too deeply');
      } else if (character === '}' || character === ']') {
        const level = this.levels.pop();
        if (level?.kind !== (character === '}' ? '{' : '[')) throw this.wrong('is no JSON');
        if (this.row?.depth === this.levels.length) yield this.takeRow(text.slice(from, at + 1));
      }
    }
    if (this.inText) this.textFrom.push(text.slice(nameFrom));
    if (this.row) this.keep(text.slice(from));
  }

  end(): void {
    if (this.levels.length > 0 || this.inText) throw this.wrong('ends too early');
  }

  private beginsRow(character: '{' | '['): boolean {
    if (character !== '{') return false;
    const parent = this.levels.at(-1);
    return parent ? parent.hasRows : this.alone;
  }

  private keep(text: string): void {
    if (!this.row) return;
    this.row.parts.push(text);
    this.row.chars += text.length;
    if (this.row.chars > MAX_ROW_CHARS) throw this.wrong(`has more than ${MAX_ROW_CHARS} characters`);
  }

  private takeRow(rest: string): JsonRow {
    this.keep(rest);
    const { line, parts } = this.row ?? { line: this.line, parts: [] };
    this.row = undefined;
    try {
      return { line, value: JSON.parse(parts.join('')) as Record<string, unknown> };
    } catch {
      throw new ApiError(400, `line ${line}: the object that begins here is no JSON`);
    }
  }

  private readonly wrong = (what: string) =>
    new ApiError(400, `line ${this.row?.line ?? this.line}: the file ${what}`);
}
