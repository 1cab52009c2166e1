// docs/events.md: who publishes what on which stream, and who consumes it under which name. Read from the sources, so
// that it cannot differ from them: `Event.make(` is the only way an event comes about, `@Consumes(` the only way it is
// taken.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const CONSUMES = /@Consumes\(\s*(\w+),\s*'([^']+)',?\s*\)/g;
const NOT_RUN = /\.spec\.ts$|\/testing\//;

/**
 * @param {Record<string, unknown>} contracts exports of libs/contracts
 * @param {string} root
 * @returns {string} Markdown
 */
export function eventTopology(contracts, root) {
  const events = Object.entries(contracts).filter(([, value]) => contracts.EVENTS.includes(value));
  const sources = contracts.SERVICES.map((service) => [service, sourcesOf(root, service)]);
  const rows = events
    .sort(([, a], [, b]) => (a.stream + a.pattern < b.stream + b.pattern ? -1 : 1))
    .map(([name, event]) => [
      event.stream,
      `\`${event.pattern}\``,
      sources.filter(([, text]) => new RegExp(`\\b${name}\\.make\\(`).test(text)).map(([service]) => service),
      sources.flatMap(([, text]) => consumersOf(text, name)).map((consumer) => `\`${consumer}\``),
    ])
    .map(([stream, pattern, publishers, consumers]) => [
      stream,
      pattern,
      publishers.join(', ') || '-',
      consumers.sort().join(', ') || '-',
    ]);
  return `# Events

Made by \`npm run generate\`: who publishes what on which stream, and who consumes it under which name. A consumer's name
begins with its service; the fields of each event stand in \`libs/contracts/schemas\`.

${table(['stream', 'event', 'published by', 'consumed by'], rows)}
`;
}

function consumersOf(text, event) {
  return [...text.matchAll(CONSUMES)].filter((match) => match[1] === event).map((match) => match[2]);
}

/** All sources of a service that run in production, as one text. */
function sourcesOf(root, service) {
  const folder = join(root, 'services', service, 'src');
  return readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith('.ts') && !NOT_RUN.test(`/${path}`))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n');
}

/** As the formatter would write it. */
function table(head, rows) {
  const widths = head.map((title, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
