import { escapeHtml } from '@postmesh/templates';
import { publicPage, shownText } from '@postmesh/public-links';
import { MAX_PUBLIC_LISTS } from './public-list.schema.js';
import type { Choice, Preferences } from './preferences.js';

/** Most fields of a request: two for each list, the button, the pause. */
export const MOST_FIELDS = 2 * MAX_PUBLIC_LISTS + 2;

const SHOWN = 'shown-';
const WANTED = 'list-';
const DAY_MS = 86_400_000;
/** Days of the longest pause. */
const LONGEST_DAYS = 366;

const dateOf = (time: Date): string => time.toISOString().slice(0, 10);

/** Changes nothing. The forms post to the address of the page. */
export function preferencesPage({ email, isOff, pausedUntil, lists }: Preferences, now: Date): string {
  const boxes = lists.map(({ id, title, isOn, isFrozen }) =>
    isFrozen
      ? ''
      : `<input type="hidden" name="${SHOWN}${id}" value="1">
<label><input type="checkbox" name="${WANTED}${id}" value="1"${isOn ? ' checked' : ''}><span>${escapeHtml(title)}</span></label>`,
  );
  const [first, last] = [1, LONGEST_DAYS].map((days) => dateOf(new Date(now.getTime() + days * DAY_MS)));
  const until = pausedUntil === null ? '' : dateOf(pausedUntil);
  const off = isOff ? '<p><strong>All marketing email to this address is stopped.</strong></p>\n' : '';
  return publicPage(
    'Your email',
    `<p>For ${shownText(email)}.</p>
${off}<form method="post">
<input type="hidden" name="save" value="1">
${boxes.join('\n')}
<label>Take a break until<input type="date" name="pause" min="${first}" max="${last}" value="${until}"></label>
<button type="submit">Save</button>
</form>
<form method="post">
<input type="hidden" name="stop" value="all">
<p>Receipts and messages about an account still arrive.</p>
<button type="submit">Stop all marketing email</button>
</form>`,
  );
}

/** @returns undefined for a date that is none, or too far away */
export function readChoice(given: ReadonlyMap<string, string>, now: Date): Choice | undefined {
  const idsOf = (prefix: string) =>
    new Set(
      [...given.keys()].flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : [])),
    );
  const choice = { shown: idsOf(SHOWN), wanted: idsOf(WANTED) };
  const date = given.get('pause') ?? '';
  if (date === '') return { ...choice, pausedUntil: null };
  const until = /^\d{4}-\d{2}-\d{2}$/.test(date) ? new Date(`${date}T00:00:00Z`) : undefined;
  if (!until || Number.isNaN(until.getTime()) || dateOf(until) !== date) return undefined;
  // a day that has passed ends the break
  if (until <= now) return { ...choice, pausedUntil: null };
  const isTooFar = until.getTime() > now.getTime() + LONGEST_DAYS * DAY_MS;
  return isTooFar ? undefined : { ...choice, pausedUntil: until };
}

export const savedPage = (): string =>
  publicPage(
    'Your choice is saved',
    '<p>It is effective at once. You can change it by the link of any later email.</p>',
  );

export const stoppedPage = (): string =>
  publicPage(
    'All marketing email is stopped',
    '<p>You can close this page. Receipts and messages about an account still arrive.</p>',
  );

export const unknownPage = (): string =>
  publicPage('This address is not known here', '<p>It gets no marketing email. Nothing was changed.</p>');
