// @ts-check
// The report of an import as a person reads it.
import { printable } from './terminal.mjs';

/** @param {any} report @returns {string} */
export function importText(report) {
  const { applied, source, file } = report;
  const title = applied
    ? `${source}: ${file} is imported`
    : `${source}: dry run of ${file}, nothing is changed`;
  return [title, '', ...TEXTS[report.what](report), ...(applied ? [] : ['', LAST_LINES[report.what]])].join(
    '\n',
  );
}

const DO_IT = 'Repeat with --apply to do it.';
const LAST_LINES = {
  suppressions: DO_IT,
  contacts: DO_IT,
  templates: `${DO_IT} Templates become drafts: look at them, then publish them.`,
  webhooks: DO_IT,
  domains: 'Nothing here changes the DNS.',
};

/** @param {Record<string, number> | undefined} counts */
const named = (counts = {}) =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`)
    .join(', ') || 'nothing';

const refusedLines = ({ refused, first_refused: first }) =>
  refused === 0
    ? []
    : [
        '',
        `refused: ${refused} rows`,
        ...first.map(({ line, reason, text: row }) => `  line ${line}: ${reason}: ${shown(row)}`),
      ];

const shown = (value) => printable(String(value)).slice(0, 120);

const TEXTS = {
  suppressions: (report) => [
    `form     ${report.form}`,
    `rows     ${report.rows}`,
    `taken    ${named(report.taken)}`,
    ...(report.passed_over + report.repeated + report.without_date > 0
      ? [
          `of them  ${named({ are_no_suppressions: report.passed_over, come_again: report.repeated, have_no_readable_date: report.without_date })}`,
        ]
      : []),
    `domains  ${report.domains.join(', ')}`,
    ...(report.done
      ? [`done     ${named(report.done)}`]
      : [
          `would    ${report.would ? named(report.would) : 'not compared: the account has too many suppressions'}`,
        ]),
    ...refusedLines(report),
  ],
  contacts: (report) => [
    `form        ${report.form}`,
    `rows        ${report.rows}`,
    `taken       ${named(report.taken)}`,
    `lists       ${named(report.lists)}`,
    `attributes  ${report.attributes.map(({ key, type, defined }) => `${key} (${type}${defined ? '' : ', to be defined'})`).join(', ') || 'none'}`,
    ...(report.done
      ? [`done        ${named(report.done)}`]
      : [
          `would       ${report.would ? named(report.would) : 'not compared: the account has too many contacts'}`,
        ]),
    ...(report.taken.unconfirmed > 0
      ? [
          '',
          `${report.taken.unconfirmed} are not confirmed, as far as the file says: they become disabled contacts, whom no campaign writes to.`,
        ]
      : []),
    ...refusedLines(report),
  ],
  templates: ({ templates }) =>
    templates.flatMap(({ name, result, id, problems }) => [
      `${result.padEnd(9)}  ${shown(name)}${id ? ` (${id})` : ''}`,
      ...problems.map(
        ({ part, line, problem }) => `  ${part}${line ? ` line ${line}` : ''}: ${shown(problem)}`,
      ),
    ]),
  webhooks: ({ webhooks }) =>
    webhooks.flatMap(({ url, result, events, note, secret }) => [
      `${result.padEnd(9)}  ${shown(url)}`,
      `  ${events || 'no events'}`,
      ...(note ? [`  ${shown(note)}`] : []),
      ...(secret ? [`  secret, shown this once: ${secret}`] : []),
    ]),
  domains: ({ domain, records }) => [
    domain,
    '  + to publish   = there already   ~ to change   - can go once the other service sends nothing',
    ...records.map(
      ({ sign, type, host, value, note }) =>
        `${sign} ${type.padEnd(5)} ${host}  ${shown(value)}  (${shown(note)})`,
    ),
  ],
};
