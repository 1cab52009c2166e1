// @ts-check
// Parser of the used parts of deploy/Dockerfile and .dockerignore: anything else is an error, so that the check without
// an engine never runs other steps than an engine.

/**
 * @typedef {{ name: 'COPY', from: string | null, sources: string[], target: string }} Copy
 * @typedef {{ name: 'RUN', command: string }} Run
 * @typedef {{ name: 'WORKDIR', path: string }} Workdir
 * @typedef {Copy | Run | Workdir} Step
 * @typedef {object} Stage
 * @property {string | null} name
 * @property {string} base with its digest
 * @property {Step[]} steps in their order
 * @property {Record<string, string>} env ENV and ARG
 * @property {string | null} user
 * @property {string[]} entrypoint
 */

/** Metadata instructions of an image, which are no build steps. */
const IGNORED = new Set(['VOLUME', 'HEALTHCHECK']);

/**
 * @param {string} text
 * @param {Record<string, string>} [given] build arguments
 * @returns {Stage[]} the last one is the image
 * @throws Error at an unknown instruction
 */
export function parseDockerfile(text, given = {}) {
  /** @type {Record<string, string>} */
  const globals = {};
  /** @type {Stage[]} */
  const stages = [];
  for (const line of logicalLines(text)) {
    const [, word = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    const stage = stages.at(-1);
    if (word === 'FROM') stages.push(newStage(rest, globals));
    else if (stage === undefined && word === 'ARG') Object.assign(globals, assignments(rest, globals), given);
    else if (stage === undefined) throw new Error(`${word} before FROM`);
    else read(stage, word, rest, globals);
  }
  return stages;
}

/** @param {Stage} stage @param {string} word @param {string} rest @param {Record<string, string>} globals */
function read(stage, word, rest, globals) {
  if (word === 'WORKDIR') stage.steps.push({ name: word, path: rest });
  else if (word === 'COPY') stage.steps.push(copyOf(rest));
  else if (word === 'RUN')
    stage.steps.push({ name: word, command: rest.replace(/^(--mount=type=cache\S*\s+)+/, '') });
  else if (word === 'ENV') Object.assign(stage.env, assignments(rest, stage.env));
  // a stage has an argument of the whole file once it names it
  else if (word === 'ARG' && Object.hasOwn(globals, rest)) stage.env[rest] = globals[rest] ?? '';
  else if (word === 'ARG') Object.assign(stage.env, assignments(rest, stage.env));
  else if (word === 'USER') stage.user = rest;
  else if (word === 'ENTRYPOINT') stage.entrypoint = JSON.parse(rest);
  else if (!IGNORED.has(word)) throw new Error(`${word} is not understood`);
}

/** Without comments, continued lines in one. @param {string} text */
const logicalLines = (text) =>
  text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** @param {string} rest @param {Record<string, string>} globals @returns {Stage} */
function newStage(rest, globals) {
  const [, base = '', name = null] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(filled(rest, globals)) ?? [];
  return { name, base, steps: [], env: {}, user: null, entrypoint: [] };
}

/** @param {string} rest @returns {Copy} */
function copyOf(rest) {
  const [, from = null, paths = ''] = /^(?:--from=(\S+)\s+)?([^-].*)$/.exec(rest) ?? [];
  const words = paths.split(/\s+/);
  const target = words.pop();
  if (target === undefined || words.length === 0) throw new Error(`COPY ${rest} is not understood`);
  return { name: 'COPY', from, sources: words, target };
}

/** @param {string} rest @param {Record<string, string>} known @returns {Record<string, string>} */
const assignments = (rest, known) =>
  Object.fromEntries(
    rest.split(/\s+/).map((each) => {
      const at = each.indexOf('=');
      return [each.slice(0, at), filled(each.slice(at + 1), known)];
    }),
  );

/** @param {string} text @param {Record<string, string>} known */
const filled = (text, known) => text.replaceAll(/\$\{(\w+)\}/g, (_, name) => known[name] ?? '');

/**
 * @param {string} text .dockerignore: names, `*`, a leading `**` and exceptions
 * @returns {(path: string) => boolean} whether a file is part of the build context
 */
export function contextFilter(text) {
  const rules = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ isKept: line.startsWith('!'), pattern: patternOf(line.replace(/^!/, '')) }));
  // the last matching rule decides
  return (path) => rules.findLast(({ pattern }) => pattern.test(path))?.isKept ?? true;
}

/** The paths of a rule, and all below them. @param {string} rule */
function patternOf(rule) {
  const [, anywhere, name = ''] = /^(\*\*\/)?(.*)$/.exec(rule) ?? [];
  const escaped = name.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*');
  return new RegExp(`^${anywhere ? '(?:.*/)?' : ''}${escaped}(?:/.*)?$`);
}
