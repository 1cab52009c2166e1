import { Parser } from 'htmlparser2';

/** Elements of SVG Tiny Portable/Secure (draft-svg-tiny-ps-abrotman): shapes, gradients, text. No other is allowed. */
const ELEMENTS: ReadonlySet<string> = new Set([
  ...['svg', 'title', 'desc', 'defs', 'g', 'use'],
  ...['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon'],
  ...['linearGradient', 'radialGradient', 'stop', 'solidColor'],
  ...['text', 'tspan', 'textArea', 'tbreak'],
]);

const SVG = 'http://www.w3.org/2000/svg';
const LONGEST_TITLE = 64;
const MOST_PROBLEMS = 10;

/**
 * Checks a logo against the profile that BIMI requires.
 * @param text of a file whose size is bounded already
 * @returns what is wrong, at most ten of it; empty: nothing
 */
export function svgProblems(text: string): string[] {
  const logo = new Logo();
  const parser = new Parser(logo, { xmlMode: true, decodeEntities: true });
  parser.write(text);
  parser.end();
  return logo.result();
}

type Attributes = Readonly<Record<string, string>>;

class Logo {
  private readonly problems = new Set<string>();
  private readonly open: string[] = [];
  private root: Attributes | undefined;
  private title: string | undefined;

  onprocessinginstruction(name: string, data: string): void {
    if (/^!doctype/i.test(name)) this.problems.add('it has a DOCTYPE, which may define entities');
    else if (!/^\?xml\s/i.test(`${data} `)) this.problems.add(`it has <${data.slice(0, 40)}>`);
  }

  onopentag(name: string, attributes: Attributes): void {
    if (this.open.length === 0 && this.root !== undefined) this.problems.add('it has more than one root');
    if (this.open.length === 0) this.readRoot(name, attributes);
    if (!ELEMENTS.has(name)) this.problems.add(`<${name.slice(0, 40)}> is not part of the profile`);
    if (name === 'svg' && this.open.length > 0) this.problems.add('an <svg> is inside of another');
    if (name === 'title' && this.open.length === 1) this.title ??= '';
    for (const [attribute, value] of Object.entries(attributes)) this.readAttribute(name, attribute, value);
    this.open.push(name);
  }

  ontext(text: string): void {
    if (this.open.length === 2 && this.open[1] === 'title') this.title = `${this.title ?? ''}${text}`;
  }

  onclosetag(): void {
    this.open.pop();
  }

  onerror(error: Error): void {
    this.problems.add(error.message);
  }

  result(): string[] {
    if (this.root === undefined) this.problems.add('it is no SVG');
    else if (this.title === undefined || this.title.trim() === '')
      this.problems.add('it has no <title> with the name of the company below <svg>');
    else if (this.title.trim().length > LONGEST_TITLE)
      this.problems.add(`its <title> has more than ${LONGEST_TITLE} characters`);
    return [...this.problems].slice(0, MOST_PROBLEMS);
  }

  private readRoot(name: string, attributes: Attributes): void {
    if (name !== 'svg') return void this.problems.add('it is no SVG');
    this.root = attributes;
    if (attributes['xmlns'] !== SVG) this.problems.add(`its namespace is not ${SVG}`);
    if (attributes['baseProfile'] !== 'tiny-ps') this.problems.add('it has no baseProfile="tiny-ps"');
    if (attributes['version'] !== '1.2') this.problems.add('it has no version="1.2"');
    for (const place of ['x', 'y'])
      if (attributes[place] !== undefined)
        this.problems.add(`<svg> has ${place}=, which the profile forbids`);
    const why = notSquare(attributes);
    if (why !== undefined) this.problems.add(why);
  }

  private readAttribute(element: string, attribute: string, value: string): void {
    const local = attribute.slice(attribute.indexOf(':') + 1).toLowerCase();
    if (/^on[a-z]/.test(local)) this.problems.add(`<${element}> has a script: ${attribute}=`);
    if (attribute === 'xml:base') this.problems.add('xml:base refers to another file');
    const isReference = local === 'href' || local === 'src';
    if (isReference && !value.trim().startsWith('#'))
      this.problems.add(`<${element}> refers to something outside: ${value.slice(0, 80)}`);
    for (const [, target = ''] of value.matchAll(/url\(\s*["']?\s*([^)"']{0,80})/gi))
      if (!target.startsWith('#')) this.problems.add(`<${element}> refers to something outside: ${target}`);
    if (local === 'style' && value.includes('\\'))
      this.problems.add(`<${element}> has a style with escapes, which hide references`);
  }
}

/** Receivers show a square, or a circle in it. */
function notSquare({ viewBox, width, height }: Attributes): string | undefined {
  const box = viewBox
    ?.trim()
    .split(/[\s,]+/)
    .map(Number);
  const [across, down] = box === undefined ? [length(width), length(height)] : [box[2], box[3]];
  if (box !== undefined && box.length !== 4) return 'its viewBox has no four numbers';
  if (across === undefined || down === undefined || !(across > 0) || !(down > 0))
    return 'it has no size: viewBox is missing';
  return across === down ? undefined : `it is not square: ${across} by ${down}`;
}

const length = (text: string | undefined): number | undefined => {
  const [, digits] = /^\s*(\d{1,6}(?:\.\d{1,6})?)(?:px)?\s*$/.exec(text ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
};
