// @ts-check
// Designs of blocks, made by an editor outside Postmesh, for campaign templates and draft campaigns.
import { readFileSync } from 'node:fs';
import { OperatorTrouble, parseJson } from './requests.mjs';

/** @typedef {import('./requests.mjs').Options} Options */

/** @type {Record<string, import('./requests.mjs').Option>} */
const DESIGN_OPTIONS = {
  blocks: { value: '<file>', help: 'JSON of the editor, stored unchanged (at most 1 MiB)' },
  html: { value: '<file>', help: 'the HTML from the editor (at most 1 MiB)' },
  text: { value: '<file>', help: 'a hand-written text; default: an existing hand-written one stays' },
  'made-text': { help: 'derive the text from the HTML, also in place of a hand-written one' },
};
const NEEDED = ['blocks', 'html'];

/** @param {...string} segments @returns {string} */
const marketingPath = (...segments) =>
  `/operator/marketing/accounts/${segments.map((segment) => encodeURIComponent(segment)).join('/')}`;

/**
 * Shows a design, or replaces it when files are named.
 * @param {string} family segment of the path
 * @param {string} kind
 * @returns {import('./requests.mjs').Command}
 */
const designOf = (family, kind) => ({
  usage: `<account id> <${kind} id>`,
  help: `show the blocks of a ${kind}; with files, replace them`,
  about:
    'Both --blocks and --html are needed to replace a design. A design of MJML or HTML cannot become one of blocks.',
  options: DESIGN_OPTIONS,
  least: 2,
  most: 2,
  request: ([account = '', id = ''], options) => {
    const path = marketingPath(account, family, id, 'simple-design');
    const isRead = Object.keys(DESIGN_OPTIONS).every((name) => options[name] === undefined);
    return isRead ? { path } : { method: 'PUT', path, body: designIn(options) };
  },
});

/** @type {import('./requests.mjs').Commands} */
export const DESIGN_COMMANDS = {
  'simple-template-create': {
    usage: '<account id>',
    help: 'create a campaign template of blocks',
    about:
      'Campaigns copy it by its id (template_id). Templates of MJML and HTML are created through the API.',
    options: {
      name: { value: '<text>', help: 'name of the template', needed: true },
      ...DESIGN_OPTIONS,
    },
    examples: [
      'simple-template-create <account id> --name Newsletter --blocks design.json --html design.html',
    ],
    least: 1,
    most: 1,
    request: ([account = ''], options) => ({
      method: 'POST',
      path: marketingPath(account, 'campaign-templates'),
      body: { name: options.name, ...designIn(options) },
    }),
  },
  'simple-template': designOf('campaign-templates', 'template'),
  'simple-campaign': designOf('campaigns', 'campaign'),
};

/** @param {Options} options @returns {{ blocks: unknown, content: object }} @throws OperatorTrouble */
function designIn(options) {
  const missing = NEEDED.find((name) => options[name] === undefined);
  if (missing !== undefined) throw new OperatorTrouble(`a design needs --${missing}`);
  if (options.text !== undefined && options['made-text']) {
    throw new OperatorTrouble('--text and --made-text cannot be given together');
  }
  const text = options['made-text'] ? null : options.text && readText(options.text);
  return {
    blocks: parseJson(readText(options.blocks)),
    content: { html: readText(options.html), ...(text === undefined ? {} : { text }) },
  };
}

/** @param {string} file @returns {string} @throws OperatorTrouble */
function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new OperatorTrouble(`${file} cannot be read (${error.code})`);
  }
}
