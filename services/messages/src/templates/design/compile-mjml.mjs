import { Parser } from 'htmlparser2';
import core from 'mjml-core';
import preset from 'mjml-preset-core';
import { foreignUrls, MAX_DEPTH } from './foreign-urls.mjs';
import { LineCounter } from './lines.mjs';

/** @typedef {import('./design-job.js').DesignProblem} DesignProblem */

const OPTIONS = {
  presets: [preset.default ?? preset],
  validationLevel: 'strict',
  // neither includes nor a configuration file
  ignoreIncludes: true,
  useMjmlConfigOptions: false,
  filePath: '',
};

// as the parser of MJML reads it
const PARSING = { recognizeCDATA: true, decodeEntities: false, recognizeSelfClosing: true };

/** Elements whose content is HTML or text of the message; text elsewhere is dropped. */
const ENDING_TAGS = new Set(
  (preset.default ?? preset).components.filter(({ endingTag }) => endingTag).map((one) => one.getTagName()),
);

/**
 * Strictly: an unknown element or attribute, a wrong place or value is a problem.
 * @param {string} source
 * @returns {Promise<{ html: string, problems: DesignProblem[] }>} the HTML is '' when there are problems
 */
export async function compileMjml(source) {
  const includes = findIncludes(source);
  if (includes.length > 0) return { html: '', problems: includes };
  let compiled;
  try {
    compiled = await core.default(source, OPTIONS);
  } catch (error) {
    return { html: '', problems: problemsOf(error) };
  }
  const problems = [...lostTags(compiled.json), ...urlProblems(source, compiled.html)];
  return { html: problems.length > 0 ? '' : compiled.html, problems };
}

/** @param {unknown} error @returns {DesignProblem[]} */
function problemsOf(error) {
  if (error instanceof RangeError) throw error;
  const { errors, message } = /** @type {{ errors?: DesignProblem[], message?: string }} */ (error ?? {});
  if (errors) return errors.map((one) => ({ line: one.line, message: one.message }));
  return [{ line: 1, message: String(message ?? 'cannot be compiled') }];
}

/** @param {string} source @returns {DesignProblem[]} @throws RangeError when it is nested too deeply */
function findIncludes(source) {
  const lines = new LineCounter(source);
  /** @type {DesignProblem[]} */
  const problems = [];
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

/**
 * Text between elements that show none is dropped by MJML without a word. Where it is a tag of the template language,
 * the design would mean something else.
 * @param {any} root @returns {DesignProblem[]}
 */
function lostTags(root) {
  /** @type {DesignProblem[]} */
  const problems = [];
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    if (/\{[{%]/.test(node.content ?? '') && !ENDING_TAGS.has(node.tagName)) {
      problems.push({
        line: node.line,
        message: `text directly inside ${node.tagName} is dropped, put {{ and {% into mj-raw`,
      });
    }
    open.push(...(node.children ?? []).toReversed());
  }
  return problems;
}

/**
 * URLs are looked for in the HTML, where each of them ends up, and their lines in the source.
 * @param {string} source @param {string} html @returns {DesignProblem[]}
 */
function urlProblems(source, html) {
  const seen = new Set();
  return foreignUrls(html).flatMap(({ url, message }) => {
    if (seen.has(url)) return [];
    seen.add(url);
    const at = placeOf(source, url);
    return [{ ...(at < 0 ? {} : { line: new LineCounter(source).at(at) }), message }];
  });
}

/** @param {string} source @param {string} url @returns {number} -1 when it is written in another way there */
function placeOf(source, url) {
  const places = ['"', "'", '('].map((before) => source.indexOf(before + url)).filter((at) => at >= 0);
  return places.length > 0 ? Math.min(...places) : source.indexOf(url);
}
