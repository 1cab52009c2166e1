import type { CampaignContent } from '@postmesh/messages-contract';
import type { TemplateDesign } from '../campaign-templates/campaign-template.js';
import { buttonColours } from './sign-up-look.rules.js';
import type { SignUpForm } from './sign-up-forms.js';

const fromOf = ({ fromEmail: email, fromName: name }: SignUpForm) => ({ email, name });

// The texts of the account come as values, which are escaped; nothing that a stranger has typed into the form is in the mail.
const HTML = (style: string) => `<!doctype html>
<html lang="en">
<body style="margin:0;padding:24px;font:16px/1.6 sans-serif;color:#1b2230;background:#ffffff">
{% for part in paragraphs %}<p>{{ part }}</p>
{% endfor %}<p><a href="{{ confirm_url }}" style="${style}">{{ button }}</a></p>
<p style="color:#454e5e;font-size:14px">If you did not ask for this, do nothing: you will get no more mail.</p>
</body>
</html>
`;
const TEXT = `{% for part in paragraphs %}{{ part }}

{% endfor %}{{ button }}: {{ confirm_url }}

If you did not ask for this, do nothing: you will get no more mail.
`;

/** The mail that asks whether an address really wants to join. */
export function confirmationMail(form: SignUpForm, confirmUrl: string) {
  const { mail_subject: subject, mail_text: text, mail_button: button } = form.texts;
  const { background, ink } = buttonColours(form.accent);
  const style = `display:inline-block;padding:10px 20px;border-radius:6px;text-decoration:none;background:${background};color:${ink}`;
  const content: CampaignContent = {
    from: fromOf(form),
    reply_to: null,
    subject: '{{ subject }}',
    preheader: null,
    html: HTML(style),
    text: TEXT,
  };
  const paragraphs = text.split(/\n{2,}/).map((part) => part.replaceAll('\n', ' '));
  return { content, values: { subject, paragraphs, button, confirm_url: confirmUrl } };
}

/** The mail after a confirmation, of a campaign template. */
export const welcomeContent = (form: SignUpForm, { html, text }: TemplateDesign): CampaignContent => ({
  from: fromOf(form),
  reply_to: null,
  subject: form.welcomeSubject,
  preheader: null,
  html,
  text,
});
