import { escapeHtml } from '@postmesh/templates';
import { publicPage, shownText, type PageLook } from '@postmesh/public-links';
import { buttonColours } from './sign-up-look.rules.js';
import type { FormField } from './sign-up-form.schema.js';
import type { SignUpForm } from './sign-up-forms.js';

/** The names of the fields of the page. `website` is for programs that fill in everything: people do not see it. */
export const FIELD = { email: 'email', consent: 'consent', trap: 'website', time: 't' } as const;
/** Most fields of a request: those, and the names. */
export const MOST_FIELDS = 6;

const LABELS: Record<FormField, [label: string, autocomplete: string]> = {
  first_name: ['First name', 'given-name'],
  last_name: ['Last name', 'family-name'],
};

/** Pages of a form may be shown in a frame: they change nothing that the reader of the mailbox does not confirm. */
export function lookOf({ accent }: Pick<SignUpForm, 'accent'>): PageLook {
  const { background, ink } = buttonColours(accent);
  return {
    framed: true,
    style: `form button{background:${background};border-color:${background};color:${ink}}`,
  };
}

const paragraphs = (text: string): string =>
  text
    .split(/\n{2,}/)
    .filter((part) => part !== '')
    .map((part) => `<p>${escapeHtml(part).replaceAll('\n', '<br>')}</p>`)
    .join('\n');

/** The fields of a request, for a page that asks once more. */
export interface FilledIn {
  readonly email: string;
  readonly names: Readonly<Partial<Record<FormField, string>>>;
}

const NOTHING: FilledIn = { email: '', names: {} };

/** @param time signed @param problem is said above the form */
export function formPage(
  form: SignUpForm,
  time: string,
  { given = NOTHING, problem }: { given?: FilledIn; problem?: string } = {},
): string {
  const { texts, fields } = form;
  const input = (label: string, attributes: string, value: string) =>
    `<label>${label}<input ${attributes} value="${escapeHtml(value)}"></label>`;
  const names = fields.map((name) => {
    const [label, autocomplete] = LABELS[name];
    const value = given.names[name] ?? '';
    return input(label, `name="${name}" maxlength="255" autocomplete="${autocomplete}"`, value);
  });
  const parts = [
    paragraphs(texts.intro),
    ...(problem === undefined ? [] : [`<p role="alert"><strong>${escapeHtml(problem)}</strong></p>`]),
    '<form method="post">',
    input(
      'Email address',
      `name="${FIELD.email}" type="email" required maxlength="254" autocomplete="email"`,
      given.email,
    ),
    ...names,
    `<label class="trap" aria-hidden="true">Leave this empty<input name="${FIELD.trap}" tabindex="-1" autocomplete="off"></label>`,
    `<input type="hidden" name="${FIELD.time}" value="${time}">`,
    `<label><input type="checkbox" name="${FIELD.consent}" value="1" required><span>${escapeHtml(texts.consent)}</span></label>`,
    `<button type="submit">${escapeHtml(texts.button)}</button>`,
    '</form>',
  ];
  return publicPage(escapeHtml(texts.title), parts.join('\n'), lookOf(form));
}

/** The same for every address, so that it says nothing about any. */
export const askedPage = (form: SignUpForm): string =>
  publicPage(escapeHtml(form.texts.title), paragraphs(form.texts.thanks), lookOf(form));

export const closedPage = (): string =>
  publicPage('This form is closed', '<p>It takes no sign-ups at the moment. Nothing was changed.</p>');

/** Changes nothing: scanners follow the links of mails. */
export const confirmPage = (form: SignUpForm, email: string): string =>
  publicPage(
    escapeHtml(form.texts.title),
    `<form method="post">
<p>Confirm that ${shownText(email)} wants this mail:</p>
<p>${escapeHtml(form.texts.consent)}</p>
<input type="hidden" name="confirm" value="1">
<button type="submit">Confirm</button>
</form>`,
    lookOf(form),
  );

export const confirmedPage = (form: SignUpForm): string =>
  publicPage(escapeHtml(form.texts.title), paragraphs(form.texts.confirmed), lookOf(form));

export const gonePage = (): string =>
  publicPage(
    'This link has expired',
    '<p>Nothing was changed. Please fill in the form once more: you get a new mail then.</p>',
  );

export const frozenPage = (): string =>
  publicPage(
    'This cannot be confirmed here',
    '<p>This address has reported mail of this list as spam, so it gets no more of it. Please ask the sender.</p>',
  );
