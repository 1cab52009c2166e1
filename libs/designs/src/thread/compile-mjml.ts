import { Parser } from 'htmlparser2';
import core from 'mjml-core';
import preset from 'mjml-preset-core';
import type { DesignProblem, MjmlJob, UrlPolicy } from './design-job.js';
import { foreignUrls, MAX_DEPTH, TooManyElements } from './foreign-urls.js';
import { LineCounter } from './lines.js';
import { malformedParts } from './well-formed.js';

const OPTIONS = {
  presets: [preset],
  validationLevel: 'strict' as const,
  // neither includes nor a configuration file
  ignoreIncludes: true,
  useMjmlConfigOptions: false,
  filePath: '',
};

const MiB = 1024 * 1024;

// as the parser of MJML reads it
const PARSING = {
  recognizeCDATA: true,
  decodeEntities: false,
  recognizeSelfClosing: true,
  lowerCaseAttributeNames: false,
};

/** Each element makes three of HTML and takes MJML a third of a millisecond; real designs have fewer. */
const MAX_MJML_ELEMENTS = 20_000;

/** Elements whose content is HTML or text of the message; text elsewhere is dropped. */
const ENDING_TAGS = new Set(
  preset.components.filter(({ endingTag }) => endingTag).map((one) => one.getTagName()),
);

/**
 * Strict: malformed MJML, an unknown element or attribute, a wrong place or value is a problem. A kibibyte of MJML
 * can make twelve of HTML.
 * @returns the HTML; '' when there are problems
 * @throws RangeError when it is nested too deeply; TooManyElements
 */
export async function compileMjml({
  mjml: source,
  urls,
  maxHtmlMiB,
}: MjmlJob): Promise<{ html: string; problems: DesignProblem[] }> {
  const refused = refusedParts(source);
  if (refused.length > 0) return { html: '', problems: refused };
  const malformed = malformedParts(source, ENDING_TAGS);
  if (malformed.length > 0) return { html: '', problems: malformed };
  let compiled;
  try {
    compiled = await core.default(source, OPTIONS);
  } catch (error) {
    return { html: '', problems: problemsOf(error) };
  }
  if (Buffer.byteLength(compiled.html) > maxHtmlMiB * MiB) {
    return { html: '', problems: [{ message: `it makes more than ${maxHtmlMiB} MiB of HTML` }] };
  }
  const problems = urlProblems(source, compiled.html, urls);
  return { html: problems.length > 0 ? '' : compiled.html, problems };
}

function problemsOf(error: unknown): DesignProblem[] {
  if (error instanceof RangeError) throw error;
  const { errors, message } = (error ?? {}) as { errors?: DesignProblem[]; message?: string };
  if (errors) return errors.map((one) => ({ line: one.line, message: one.message }));
  return [{ line: 1, message: String(message ?? 'cannot be compiled') }];
}

/** Names that MJML mistakes for known elements or attributes, since it looks names up in objects. */
const NAMES_OF_OBJECTS = new Set(Object.getOwnPropertyNames(Object.prototype));

/**
 * Problems for which the source must not reach MJML. @throws RangeError when it is nested too deeply;
 * TooManyElements
 */
function refusedParts(source: string): DesignProblem[] {
  const lines = new LineCounter(source);
  const problems: DesignProblem[] = [];
  let [depth, elements, inText] = [0, 0, 0];
  let attributes: string[] = [];
  const refuse = (message: string) => problems.push({ line: lines.at(parser.startIndex), message });
  const parser = new Parser(
    {
      onattribute: (name) => void attributes.push(name),
      onopentag(name) {
        depth += 1;
        elements += 1;
        if (depth > MAX_DEPTH) throw new RangeError('nested too deeply');
        if (elements > MAX_MJML_ELEMENTS) throw new TooManyElements();
        if (name === 'mj-include') refuse('mj-include is not supported');
        if (inText === 0) {
          if (NAMES_OF_OBJECTS.has(name)) refuse(`Element ${name} doesn't exist or is not registered`);
          const illegal = attributes.filter((attribute) => NAMES_OF_OBJECTS.has(attribute));
          if (illegal.length > 0) refuse(`Attribute ${illegal.join(', ')} is illegal`);
        }
        if (ENDING_TAGS.has(name)) inText += 1;
        attributes = [];
      },
      onclosetag(name) {
        depth -= 1;
        if (ENDING_TAGS.has(name)) inText -= 1;
      },
    },
    PARSING,
  );
  parser.end(source);
  return problems;
}

/** URLs are checked in the HTML, which contains each of them, and their lines are found in the source. */
function urlProblems(source: string, html: string, policy: UrlPolicy): DesignProblem[] {
  const seen = new Set<string>();
  return foreignUrls(html, policy).flatMap(({ url, message }) => {
    if (seen.has(url)) return [];
    seen.add(url);
    const at = placeOf(source, url);
    return [{ ...(at < 0 ? {} : { line: new LineCounter(source).at(at) }), message }];
  });
}

/** @returns -1 when the source spells it differently */
function placeOf(source: string, url: string): number {
  const places = ['"', "'", '('].map((before) => source.indexOf(before + url)).filter((at) => at >= 0);
  return places.length > 0 ? Math.min(...places) : source.indexOf(url);
}
