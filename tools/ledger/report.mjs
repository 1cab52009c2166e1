// @ts-check
// The printed table.

const MOST_SHOWN = 5;

/** Progress for people, each line with the seconds since now. @param {(line: string) => void} say */
export function timed(say) {
  const began = performance.now();
  return (/** @type {string} */ line) =>
    say(`${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${line}`);
}

const COLUMNS = /** @type {const} */ ([
  ['kind', 'load'],
  ['accepted', 'accepted'],
  ['delivered', 'delivered'],
  ['lost', 'lost'],
  ['duplicates', 'duplicates'],
  ['uncertain', 'recorded as uncertain'],
  ['webhooksMissing', 'webhooks missing'],
]);

/**
 * @param {string} mode @param {import('./book.mjs').Book} book @param {import('./verdict.rules.mjs').Verdict} verdict
 * @returns {string} Markdown
 */
export function renderLedger(mode, book, verdict) {
  const { findings, longestOutageMs, repeatedCalls } = verdict;
  return [
    `${mode}: ${whatHappened(book)}`,
    '',
    ...accountOf(verdict),
    '',
    ...(book.stops.length > 0 ? [refusedLine(book, verdict)] : []),
    `longest outage of acceptance ${seconds(longestOutageMs)}; ${book.unanswered.size} SMTP transactions`,
    `without a reply; ${book.webhooks.length} webhooks, ${book.events.size} events delivered, ${repeatedCalls}`,
    `repeated calls; ${book.imports.length} imports of ${sum(book.imports.map(({ lines: count }) => count))} lines`,
    ...waysLine(book),
    ...lyingLines(book),
    ...Object.entries(findings).flatMap(([what, found]) => named(what, found)),
  ].join('\n');
}

/** How many recipients each way reached, where there are several. @param {import('./book.mjs').Book} book */
function waysLine({ ways }) {
  const counts = new Map();
  for (const way of [...ways.values()].flatMap((each) => [...each]))
    counts.set(way, (counts.get(way) ?? 0) + 1);
  if (counts.size < 2) return [];
  return [`arrived by ${[...counts].map(([way, count]) => `${way} ${count}`).join(', ')}`];
}

/** How soon requests were refused while a store did not work. @param {import('./book.mjs').Book} book */
function lyingLines({ kills, failedTries }) {
  const parts = [...new Set(kills.map(({ what }) => what))].filter((what) => /^(?:disk|net)-/.test(what));
  return parts.map((part) => {
    const tries = failedTries.filter(({ during }) => during === part);
    const times = tries.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
    const soon = times.filter((ms) => ms <= 1_000).length;
    const statuses = [...new Set(tries.map(({ status }) => status))].join(', ');
    if (times.length === 0) return `${part}: no first request was refused`;
    return `${part}: ${times.length} first requests refused (${statuses}), ${soon} within a second, the last after ${seconds(times.at(-1) ?? 0)}`;
  });
}

/** @param {Pick<import('./verdict.rules.mjs').Verdict, 'rows' | 'total'>} verdict @returns {string[]} lines of a table */
export function accountOf({ rows, total }) {
  const lines = [COLUMNS.map(([, title]) => title), ...[...rows, total].map(cells)];
  const widths = COLUMNS.map((_, at) => Math.max(...lines.map((line) => line[at].length)));
  const [head, ...body] = lines.map(
    (line) =>
      `| ${line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join(' | ')} |`,
  );
  const rule = `| ${widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [head, rule, ...body];
}

/** @type {[keyof import('./restore.rules.mjs').RestoreFacts, string][]} */
const RESTORE_FACTS = [
  ['required', 'accepted before the backup began: each must exist, arrive and be published'],
  ['waiting', 'of these waited when the backup began'],
  ['sentMeanwhile', 'of these were sent between backup and loss'],
  ['marked', 'ended as sent by the log of the lost installation'],
  ['sentTwice', 'sent twice'],
  ['repeatedEvents', 'events that a webhook got again under another webhook-id'],
  ['acceptedLater', 'accepted after the backup began, and lost with the installation'],
  ['sentLater', 'of these were sent nevertheless'],
];

/** @param {import('./restore.rules.mjs').RestoreVerdict} verdict @returns {string} */
export function renderRestore({ facts, findings }) {
  const width = Math.max(...RESTORE_FACTS.map(([name]) => String(facts[name]).length));
  return [
    'restore drill',
    '',
    ...RESTORE_FACTS.map(([name, meaning]) => `${String(facts[name]).padStart(width)}  ${meaning}`),
    ...Object.entries(findings).flatMap(([what, found]) => named(what, found)),
  ].join('\n');
}

/** @param {import('./verdict.rules.mjs').Row} row */
const cells = (row) => COLUMNS.map(([field]) => String(row[field]));

/** @param {import('./book.mjs').Book} book */
function whatHappened(book) {
  if (book.stops.length === 0) return `${book.kills.length} kills (${killsOf(book)})`;
  const longest = Math.max(...book.stops.map(({ tookMs }) => tookMs));
  return `${book.stops.length} processes stopped cleanly, each within ${seconds(longest)}`;
}

/** @param {import('./book.mjs').Book} book @param {import('./verdict.rules.mjs').Verdict} verdict */
const refusedLine = ({ refusedFor, failedTries }, { longestRefusedMs }) => {
  const reasons = [...new Set(failedTries.map(({ what }) => what))].slice(0, MOST_SHOWN).join(', ');
  const gap = `the next one was accepted within ${seconds(longestRefusedMs)}`;
  return `${refusedFor.count} requests refused${reasons && ` (${reasons})`}, ${gap};`;
};

/** @param {number} ms */
const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`;

/** @param {import('./book.mjs').Book} book */
function killsOf({ kills }) {
  const counts = new Map();
  for (const { what } of kills) counts.set(what, (counts.get(what) ?? 0) + 1);
  return [...counts].map(([what, count]) => `${what} ${count}`).join(', ');
}

/** @param {string} what @param {readonly string[]} found @returns {string[]} a few of them, and how many there are */
const named = (what, found) => [
  ...found.slice(0, MOST_SHOWN).map((one) => `!!! ${what}: ${one}`),
  ...(found.length > MOST_SHOWN ? [`!!! ${what}: ${found.length - MOST_SHOWN} more`] : []),
];

/** @param {readonly number[]} numbers */
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
