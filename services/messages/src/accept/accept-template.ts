import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ApiErrors, type Principal } from '@postmesh/contracts';
import { DomainDirectory, type DomainFacts } from '@postmesh/domains-contract';
import type { Mailbox } from '@postmesh/mail-format';
import type { RequestContent } from '@postmesh/message-content';
import { LinkTokens, publicBaseUrl } from '@postmesh/public-links';
import { forgetResult, SETTINGS, type Remember } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { PublishedTemplates, type PublishedTemplate } from '../templates/published-templates.js';
import { AcceptSend, type CheckedSend } from './accept-send.js';
import { namedMailbox, readSurroundings } from './content.rules.js';
import { readRecipients } from './recipients.rules.js';
import type { AcceptedSend } from './send-result.js';
import type { TemplateSendBody } from './send.schema.js';
import {
  requireAnySender,
  requireMaySend,
  requireSender,
  requireSendingDomain,
} from './sending-domain.rules.js';
import { readHeaders, readOptions, readSandbox } from './shared-fields.rules.js';
import {
  canBeRendered,
  cannotBeRendered,
  chooseSubject,
  requireBody,
  requireDefaults,
  requireDefaultSender,
  requireVariables,
  reservedValues,
  usesUnsubscribeLink,
  withUnsubscribeHeaders,
} from './template-send.rules.js';

export interface AcceptTemplateCommand {
  /** the sender: the account with its facts, and the scopes of the key */
  principal: Principal;
  /** traceparent of the event, where the request is traced */
  trace?: string | null;
  /** aborted when the client has disconnected */
  signal?: AbortSignal | undefined;
  input: TemplateSendBody;
}

interface Sender {
  mailbox: Mailbox;
  domain: DomainFacts;
}

const MAX_REMEMBERED = 10_000;

/** Accepts a template send: the published copy of a template, one message per recipient (spec 2-messages §1.4). */
@Injectable()
export class AcceptTemplate {
  private readonly tokens: LinkTokens;
  /** by template and revision, so that a design is parsed once for many sends */
  private readonly renderable = new LRUCache<string, boolean>({ max: MAX_REMEMBERED });

  constructor(
    private readonly domains: DomainDirectory,
    private readonly templates: PublishedTemplates,
    private readonly sends: AcceptSend,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.tokens = new LinkTokens(settings.secretKeys);
  }

  /** @throws ApiError 400, 403 or 404: the steps of spec 2-messages §1.4 from the third on */
  async execute(
    { principal, input, trace, signal }: AcceptTemplateCommand,
    remember: Remember<AcceptedSend> = forgetResult,
  ): Promise<AcceptedSend> {
    const recipients = readRecipients(input.recipients);
    const headers = readHeaders(input.headers, {
      controlPrefixes: this.settings.controlHeaderPrefixes,
      hasReplyTo: Boolean(input.reply_to),
      drop: ['cc'],
    });
    const given = input.from ? await this.requireSender(principal, input.from) : undefined;
    if (!given) requireAnySender(principal);
    const template = await this.templates.find(principal.account_id, input.template_id);
    if (!template) throw ApiErrors.notFound('template');
    const defaults = requireDefaults(template, input, headers);
    const sender = given ?? (await this.requireSender(principal, requireDefaultSender(defaults)));
    requireBody(template);
    this.requireRenderable(template);
    const subject = chooseSubject(input.subject, template);
    requireVariables(template, recipients);
    const sandbox = readSandbox(input, headers);
    requireMaySend(principal, sender.domain, sandbox !== null);
    const acceptedAt = new Date();
    const options = readOptions(input, headers, { account: principal.account, now: acceptedAt });
    const surroundings = readSurroundings(
      { ...input, reply_to: input.reply_to ?? defaults.replyTo },
      headers,
      true,
    );
    const content = { from: sender.mailbox, subject, ...surroundings };
    const send = {
      principal,
      trace,
      signal,
      domain: sender.domain,
      recipients,
      options,
      sandbox,
      acceptedAt,
    };
    return this.sends.execute(
      { ...send, schedule: input.schedule, ...this.designed(template, content, send) },
      remember,
    );
  }

  /** Steps 4 and 8. @throws ApiError 400 or 403 */
  private async requireSender(
    principal: Principal,
    given: { email: string; name?: string | null | undefined },
  ): Promise<Sender> {
    const { address, domain } = requireSender(given.email);
    const facts = await this.domains.find(principal.account_id, domain);
    return {
      domain: requireSendingDomain(principal, domain, facts),
      mailbox: namedMailbox(address, given.name, 'from'),
    };
  }

  private requireRenderable(template: PublishedTemplate): void {
    const key = `${template.id}/${template.revision}`;
    const isRenderable = this.renderable.get(key) ?? canBeRendered(template);
    this.renderable.set(key, isRenderable);
    if (!isRenderable) throw cannotBeRendered();
  }

  /** The template's share of the messages: its bodies, and the values that do not depend on the recipient. */
  private designed(
    template: PublishedTemplate,
    content: Pick<RequestContent, 'from' | 'subject' | 'headers'>,
    { principal, domain, sandbox }: Pick<CheckedSend, 'principal' | 'domain' | 'sandbox'>,
  ): Pick<CheckedSend, 'kind' | 'templateId' | 'content' | 'valuesOf'> {
    const { html, text, preheader } = template;
    const hasLink = usesUnsubscribeLink(template);
    const base = publicBaseUrl(domain.subscription_host ?? null, this.settings);
    return {
      kind: 'template',
      templateId: template.id,
      content: {
        ...content,
        ...(hasLink ? { headers: withUnsubscribeHeaders(content.headers ?? []) } : {}),
        ...(html ? { html, preheader: preheader || undefined } : {}),
        ...(text ? { text } : {}),
        rendering: { escapeHtml: true },
      },
      valuesOf: ({ address: { address: recipient }, given: { substitutions } }, messageId) => {
        const about = {
          ...{ messageId, accountId: principal.account_id, domain: domain.domain, recipient },
          ...(sandbox === null ? {} : { sandbox: true as const }),
        };
        const link = hasLink ? `${base}/u/${this.tokens.sign({ kind: 'unsubscribe', ...about })}` : '';
        return { ...substitutions, ...reservedValues(recipient, link) };
      },
    };
  }
}
