import { escapeHtml } from '@postmesh/templates';
import { publicPage, shownText, type PageLook } from '@postmesh/public-links';
import { buttonColours } from './sign-up-look.rules.js';
import { MAX_ANSWER } from './form-attribute.schema.js';
import { FIELD_OF, isAsked, type AskedAttribute } from './form-attributes.rules.js';
import type { FormField } from './sign-up-form.schema.js';
import type { SignUpForm } from './sign-up-forms.js';

/** The names of the fields of the page. `website` is for programs that fill in everything: people do not see it. */
export const FIELD = { email: 'email', consent: 'consent', trap: 'website', time: 't' } as const;
/** Most fields of a request: those, the names, and the attributes. */
export const mostFields = ({ attributes }: Pick<SignUpForm, 'attributes'>): number => 6 + attributes.length;

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
  /** by the keys of attributes */
  readonly answers: Readonly<Record<string, string>>;
}

const NOTHING: FilledIn = { email: '', names: {}, answers: {} };

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
    ...form.attributes.filter(isAsked).map((one) => answerField(one, given.answers[one.key] ?? '')),
    `<label class="trap" aria-hidden="true">Leave this empty<input name="${FIELD.trap}" tabindex="-1" autocomplete="off"></label>`,
    `<input type="hidden" name="${FIELD.time}" value="${time}">`,
    `<label><input type="checkbox" name="${FIELD.consent}" value="1" required><span>${escapeHtml(texts.consent)}</span></label>`,
    `<button type="submit">${escapeHtml(texts.button)}</button>`,
    '</form>',
  ];
  return publicPage(escapeHtml(texts.title), parts.join('\n'), lookOf(form));
}

const TYPED = {
  string: `maxlength="${MAX_ANSWER}"`,
  number: 'type="number" step="any"',
  date: 'type="date"',
} as const;
const YES_OR_NO = [
  ['true', 'Yes'],
  ['false', 'No'],
] as const;

/** Names and values of attributes are text of the account; the given answer is of anyone. */
function answerField({ key, label, required, type, options }: AskedAttribute, given: string): string {
  const about = `name="${FIELD_OF}${key}"${required ? ' required' : ''}`;
  const choices = type === 'boolean' ? YES_OR_NO : options.map((one) => [one, one] as const);
  if (type !== 'boolean' && choices.length === 0)
    return `<label>${escapeHtml(label)}<input ${about} ${TYPED[type]} value="${escapeHtml(given)}"></label>`;
  const listed = [['', ''] as const, ...choices].map(
    ([value, text]) =>
      `<option value="${escapeHtml(value)}"${value === given ? ' selected' : ''}>${escapeHtml(text)}</option>`,
  );
  return `<label>${escapeHtml(label)}<select ${about}>${listed.join('')}</select></label>`;
}

/** The same for every address, so that it says nothing about any. */
export const askedPage = (form: SignUpForm): string =>
  publicPage(escapeHtml(form.texts.title), paragraphs(form.texts.thanks), lookOf(form));

export const closedPage = (): string =>
  publicPage('This form is closed', '<p>It takes no sign-ups at the moment. Nothing was changed.</p>');

/** A sign-up as its reader sees it. */
export interface ToConfirm {
  readonly email: string;
  /** the values that its contact gets */
  readonly answers: readonly { readonly label: string; readonly text: string }[];
  readonly digest: string;
}

/** Changes nothing: scanners follow the links of mails. */
export const confirmPage = (form: SignUpForm, { email, answers, digest }: ToConfirm): string =>
  publicPage(
    escapeHtml(form.texts.title),
    `<form method="post">
<p>Confirm that ${shownText(email)} wants this mail:</p>
<p>${escapeHtml(form.texts.consent)}</p>
${answers.map(({ label, text }) => `<p>${escapeHtml(label)}: ${shownText(text)}</p>\n`).join('')}<input type="hidden" name="answers" value="${digest}">
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
