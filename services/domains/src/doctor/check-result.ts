import type { DoctorCheck } from '@postmesh/domains-contract';

/** A check without its time, which is that of the look-ups behind it. */
export type CheckResult = Omit<DoctorCheck, 'checked_at'>;
type Id = DoctorCheck['id'];

/** More lines are left out: a list is for reading. */
const MAX_DETAILS = 60;
const MAX_TEXT = 600;

interface Words {
  text: string;
  fix?: string | undefined;
  details?: readonly string[];
}

const check =
  (state: DoctorCheck['state']) =>
  (id: Id, { text, fix, details = [] }: Words): CheckResult => ({
    id,
    state,
    text: shown(text),
    fix: fix === undefined ? null : shown(fix),
    details: details.slice(0, MAX_DETAILS).map(shown),
  });

export const ok = check('ok');
export const warning = check('warning');
export const fault = check('fault');
export const unknownState = check('unknown');

/** Text of others is in it: one line, no control characters, bounded. */
function shown(text: string): string {
  const line = text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length <= MAX_TEXT ? line : `${line.slice(0, MAX_TEXT - 1)}…`;
}
