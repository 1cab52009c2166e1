import { Inject, Injectable } from '@nestjs/common';
import { newId, type Principal } from '@postmesh/contracts';
import {
  PREVIEW_RECIPIENT,
  type Issue,
  type MessagePreview,
  type Substitutions,
} from '@postmesh/messages-contract';
import { LinkTokens, publicBaseUrl } from '@postmesh/public-links';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { holdsTemplate, subjectProblem } from '@postmesh/templates';
import { requireAddress } from '../accept/shared-fields.rules.js';
import {
  missingVariables,
  requireBody,
  reservedValues,
  usesUnsubscribeLink,
  withUnsubscribeHeaders,
} from '../accept/template-send.rules.js';
import { ReadTemplates } from '../templates/read-templates.js';
import { TemplateIssues } from '../templates/template-issues.js';
import { PreviewMessage, type PreviewedContent } from './preview-message.js';
import type { TemplateCopy, TemplateState } from '../templates/template.js';
import type { TemplatePreviewBody } from '../templates/template.schema.js';

// Limit of the response; a template may send more.
const MAX_PART_BYTES = 4 * 1024 * 1024;
const LIMITS = { loopSteps: 100_000, outputBytes: MAX_PART_BYTES };

/** The message of a template to one recipient, and the reasons why it cannot be sent. */
@Injectable()
export class PreviewTemplate {
  private readonly tokens: LinkTokens;

  constructor(
    private readonly templates: ReadTemplates,
    private readonly issues: TemplateIssues,
    private readonly preview: PreviewMessage,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.tokens = new LinkTokens(settings.secretKeys);
  }

  /** @throws ApiError 400 or 404; Transient; the reason of the signal */
  async execute(
    { account_id: accountId, account }: Principal,
    id: string,
    { published, email, substitutions }: TemplatePreviewBody,
    signal?: AbortSignal,
  ): Promise<MessagePreview> {
    const copy = copyOf(await this.templates.state(accountId, id), published ?? false);
    const recipient = requireAddress(email ?? PREVIEW_RECIPIENT, 'email').address;
    const messageId = newId();
    // a link of a test, without effect
    const link = `${publicBaseUrl(null, this.settings)}/u/${this.tokens.sign({ kind: 'test-unsubscribe', messageId })}`;
    const values = {
      ...substitutions,
      ...reservedValues(recipient, usesUnsubscribeLink(copy) ? link : ''),
    };
    const content = contentOf(copy, account.parent_account_id);
    const about = {
      id: messageId,
      email: recipient,
      domain: copy.from?.email.split('@')[1] ?? 'example.com',
    };
    const { problems, ...made } = await this.preview.execute(
      { ...content, recipients: { [messageId]: { values } } },
      { ...about, accountId },
      LIMITS,
      signal,
    );
    const subject = holdsTemplate(content.subject) ? subjectProblem(content.subject, values) : undefined;
    const found = [...problems, ...(subject === undefined ? [] : [{ part: 'subject', reason: subject }])];
    const issues = await this.issues.of(accountId, copy);
    const shown = found.map(({ part, reason }) => ({ code: UNRENDERABLE, message: `${part}: ${reason}` }));
    const kept = shown.length === 0 ? issues : issues.filter(({ code }) => code !== UNRENDERABLE);
    return {
      object: 'message_preview',
      ...made,
      issues: [...kept, ...shown, ...missing(copy, substitutions ?? {})],
    };
  }
}

const UNRENDERABLE = 'content_unrenderable';

/** @throws ApiError 400 when nothing is published */
function copyOf({ draft, published }: TemplateState, ofPublished: boolean): TemplateCopy {
  const copy = ofPublished ? published : (draft ?? published);
  if (copy) return copy;
  requireBody({ html: undefined, text: undefined, preheader: '' });
  throw new Error('a template has a copy');
}

function contentOf(copy: TemplateCopy, parentAccountId: string | null): PreviewedContent {
  const { from, replyTo, subject, html, text, preheader } = copy;
  return {
    from: from && (from.name === '' ? { email: from.email } : from),
    ...(replyTo ? { replyTo: { email: replyTo } } : {}),
    subject,
    ...(html ? { html, preheader: preheader || undefined } : {}),
    ...(text ? { text } : {}),
    ...(usesUnsubscribeLink(copy) ? { headers: withUnsubscribeHeaders([]) } : {}),
    rendering: { escapeHtml: true, ...(parentAccountId ? { parentAccountId } : {}) },
    date: new Date(),
  };
}

/** A send with missing variables is refused (spec 2-messages §1.4 step 12). */
function missing(copy: TemplateCopy, substitutions: Substitutions): Issue[] {
  const names = missingVariables(copy, substitutions);
  if (names.length === 0) return [];
  return [{ code: 'variables_missing', message: `required variables have no value: ${names.join(', ')}` }];
}
