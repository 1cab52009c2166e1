import { escapeHtml } from '@postmesh/templates';
import { publicPage, shownText } from '@postmesh/public-links';
import { MAX_PUBLIC_LISTS } from './public-list.schema.js';
import { FREQUENCIES, type Frequency } from './frequency.js';
import type { Choice, Preferences } from './preferences.js';

/** Most fields of a request: two for each list, the button, the pause, the frequency. */
export const MOST_FIELDS = 2 * MAX_PUBLIC_LISTS + 3;

const SHOWN = 'shown-';
const WANTED = 'list-';
const DAY_MS = 86_400_000;
/** Days of the longest pause. */
const LONGEST_DAYS = 366;

const FREQUENCY_WORDS: Record<Frequency, string> = {
  every: 'As often as it is sent',
  weekly: 'At most once a week',
  monthly: 'At most once a month',
};

const dateOf = (time: Date): string => time.toISOString().slice(0, 10);

/** Changes nothing. The forms post to the address of the page. */
export function preferencesPage(preferences: Preferences, now: Date): string {
  const { email, isOff, pausedUntil, frequency, lists } = preferences;
  const boxes = lists.map(({ id, title, isOn, isFrozen }) =>
    isFrozen
      ? ''
      : `<input type="hidden" name="${SHOWN}${id}" value="1">
<label><input type="checkbox" name="${WANTED}${id}" value="1"${isOn ? ' checked' : ''}><span>${escapeHtml(title)}</span></label>`,
  );
  const [first, last] = [1, LONGEST_DAYS].map((days) => dateOf(new Date(now.getTime() + days * DAY_MS)));
  const until = pausedUntil === null ? '' : dateOf(pausedUntil);
  const choices = FREQUENCIES.map(
    (one) => `<option value="${one}"${one === frequency ? ' selected' : ''}>${FREQUENCY_WORDS[one]}</option>`,
  );
  const off = isOff ? '<p><strong>All marketing email to this address is stopped.</strong></p>\n' : '';
  return publicPage(
    'Your email',
    `<p>For ${shownText(email)}.</p>
${off}<form method="post">
<input type="hidden" name="save" value="1">
${boxes.join('\n')}
<label>How often<select name="frequency">
${choices.join('\n')}
</select></label>
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

/** @returns undefined for a frequency or a date that is none, or a date that is too far away */
export function readChoice(given: ReadonlyMap<string, string>, now: Date): Choice | undefined {
  const idsOf = (prefix: string) =>
    new Set(
      [...given.keys()].flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : [])),
    );
  const wish = given.get('frequency');
  const frequency = FREQUENCIES.find((one) => one === wish);
  if (wish !== undefined && frequency === undefined) return undefined;
  const choice = { shown: idsOf(SHOWN), wanted: idsOf(WANTED), frequency };
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
