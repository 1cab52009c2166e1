import { Parser } from 'htmlparser2';
import core from 'mjml-core';
import preset from 'mjml-preset-core';
import type { DesignProblem, MjmlJob, UrlPolicy } from './design-job.js';
import { foreignUrls, MAX_DEPTH } from './foreign-urls.js';
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
const PARSING = { recognizeCDATA: true, decodeEntities: false, recognizeSelfClosing: true };

/** Elements whose content is HTML or text of the message; text elsewhere is dropped. */
const ENDING_TAGS = new Set(
  preset.components.filter(({ endingTag }) => endingTag).map((one) => one.getTagName()),
);

/**
 * Strictly: what is not well-formed, an unknown element or attribute, a wrong place or value is a problem. A kibibyte of MJML can make twelve of
 * HTML.
 * @returns the HTML; '' when there are problems
 * @throws RangeError when it is nested too deeply
 */
export async function compileMjml({
  mjml: source,
  urls,
  maxHtmlMiB,
}: MjmlJob): Promise<{ html: string; problems: DesignProblem[] }> {
  const includes = findIncludes(source);
  if (includes.length > 0) return { html: '', problems: includes };
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

function findIncludes(source: string): DesignProblem[] {
  const lines = new LineCounter(source);
  const problems: DesignProblem[] = [];
  let depth = 0;
  const parser = new Parser(
    {
      onclosetag() {
        depth -= 1;
      },
      onopentag(name) {
        depth += 1;
        if (depth > MAX_DEPTH) throw new RangeError('nested too deeply');
        if (name !== 'mj-include') return;
        problems.push({ line: lines.at(parser.startIndex), message: 'mj-include is not supported' });
      },
    },
    PARSING,
  );
  parser.end(source);
  return problems;
}

/** URLs are looked for in the HTML, where each of them ends up, and their lines in the source. */
function urlProblems(source: string, html: string, policy: UrlPolicy): DesignProblem[] {
  const seen = new Set<string>();
  return foreignUrls(html, policy).flatMap(({ url, message }) => {
    if (seen.has(url)) return [];
    seen.add(url);
    const at = placeOf(source, url);
    return [{ ...(at < 0 ? {} : { line: new LineCounter(source).at(at) }), message }];
  });
}

/** @returns -1 when it is written in another way there */
function placeOf(source: string, url: string): number {
  const places = ['"', "'", '('].map((before) => source.indexOf(before + url)).filter((at) => at >= 0);
  return places.length > 0 ? Math.min(...places) : source.indexOf(url);
}
