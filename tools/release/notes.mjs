// @ts-check
// The notes of a release: its section of CHANGELOG.md, and the crash ledger of its very commit.
import { accountOf } from '../ledger/report.mjs';

/**
 * @typedef {{ rows: import('../ledger/verdict.rules.mjs').Row[], total: import('../ledger/verdict.rules.mjs').Row,
 *   kills: { what: string }[], longestOutageMs: number, isKept: boolean }} Account of one mode, as `--json` of the ledger has it
 */

/**
 * @param {string} section without its heading
 * @param {Record<string, unknown>} ledger the file that `npm run ledger -- --json` has written
 * @returns {string} Markdown
 * @throws Error when a promise was broken, or the ledger has no mode
 */
export function releaseNotes(section, ledger) {
  const accounts = ['embedded', 'distributed'].flatMap((mode) => {
    const account = /** @type {Account | undefined} */ (ledger[mode]);
    return account === undefined ? [] : [{ mode, account }];
  });
  if (accounts.length === 0) throw new Error('the ledger has no run');
  const broken = accounts.find(({ account }) => !account.isKept);
  if (broken !== undefined) throw new Error(`the ledger, ${broken.mode}: a promise was broken`);
  return [
    section,
    '### Crash ledger of this release',
    'Parts were killed under load; each accepted message is accounted for (docs/reliability.md).',
    ...accounts.map(({ mode, account }) =>
      [
        `${mode}, ${account.kills.length} kills, longest outage of acceptance ${(account.longestOutageMs / 1_000).toFixed(1)} s:`,
        ...accountOf(account),
      ].join('\n'),
    ),
    '',
  ]
    .map((part) => part.replace(':\n|', ':\n\n|'))
    .join('\n\n')
    .trimEnd()
    .concat('\n');
}
