// @ts-check
// docs/events.md: publishers, consumers and their names, by stream. Read from the sources, so that it cannot differ
// from them: only `Event.make(` makes an event, and only `@Consumes(` consumes it. docs/asyncapi.json is made from the
// same facts (async-document.mjs).
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const CONSUMES = /@Consumes\(\s*(\w+),\s*'([^']+)',?\s*\)/g;
const NOT_RUN = /\.spec\.ts$|\/testing\//;

/**
 * @typedef {{ event: any, publishers: string[], consumers: string[] }} EventUse services by name; consumers by theirs
 */

/**
 * @param {Record<string, any>} contracts exports of the contracts (contracts.mjs)
 * @param {string} root
 * @returns {EventUse[]} by stream and event
 */
export function readTopology(contracts, root) {
  const events = Object.entries(contracts).filter(([, value]) => contracts.EVENTS.includes(value));
  /** @type {[service: string, text: string][]} */
  const sources = contracts.SERVICES.map((/** @type {string} */ service) => [
    service,
    sourcesOf(root, service),
  ]);
  checkConsumers(contracts, sources);
  return events
    .sort(([, a], [, b]) => (a.stream + a.pattern < b.stream + b.pattern ? -1 : 1))
    .map(([name, event]) => ({
      event,
      publishers: sources
        .filter(([, text]) => new RegExp(`\\b${name}\\.make\\(`).test(text))
        .map(([service]) => service),
      consumers: sources.flatMap(([, text]) => consumersOf(text, name)).sort(),
    }));
}

/**
 * @param {EventUse[]} topology
 * @returns {string} Markdown
 */
export function eventTopology(topology) {
  const rows = topology.map(({ event, publishers, consumers }) => [
    event.stream,
    `\`${event.pattern}\``,
    publishers.join(', ') || '-',
    consumers.map((consumer) => `\`${consumer}\``).join(', ') || '-',
  ]);
  return `# Events

Made by \`npm run generate\`: the events of each stream, their publishers, and their consumers by name. A consumer's name
begins with its service; the fields of each event are in \`services/<service>/contract/schemas\`.

${table(['stream', 'event', 'published by', 'consumed by'], rows)}
`;
}

/** @param {string} text @param {string} event the name of its export */
function consumersOf(text, event) {
  return [...text.matchAll(CONSUMES)].filter((match) => match[1] === event).map((match) => match[2]);
}

/**
 * @param {Record<string, any>} contracts @param {[service: string, text: string][]} sources
 * @throws Error where an event that a service consumes is in no contract
 */
function checkConsumers(contracts, sources) {
  for (const [service, text] of sources)
    for (const [, name = ''] of text.matchAll(CONSUMES))
      if (!contracts.EVENTS.includes(contracts[name]))
        throw new Error(`${service} consumes ${name}, an event of no contract`);
}

/** All sources of a service that run in production, as one text. @param {string} root @param {string} service */
function sourcesOf(root, service) {
  const folder = join(root, 'services', service, 'src');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !NOT_RUN.test(`/${path}`))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n');
}

/** As the formatter would write it. @param {string[]} head @param {string[][]} rows */
function table(head, rows) {
  const widths = head.map((title, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  /** @param {string[]} cells */
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
