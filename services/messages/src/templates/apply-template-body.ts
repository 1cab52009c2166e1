import { Injectable } from '@nestjs/common';
import { ApiError, isLongerThan, type AccountId } from '@postmesh/contracts';
import { requireAddress, requireOneLine } from '../accept/shared-fields.rules.js';
import { requireSender } from '../accept/sending-domain.rules.js';
import { DomainDirectory } from '../domain-changes/domain-directory.js';
import type { DesignJob, MadeDesign } from './design/design-job.js';
import { Designs } from './design/designs.js';
import {
  chooseText,
  designOf,
  givenContent,
  madeTexts,
  needsMadeText,
  requireEditor,
  type Design,
} from './template-body.rules.js';
import {
  EMPTY_COPY,
  type CopyFields,
  type Editor,
  type TemplateBody,
  type TemplateState,
} from './template.js';
import { MAX_SENDER_NAME, type UpdateTemplateBody } from './template.schema.js';

type Fields = Omit<UpdateTemplateBody, 'name' | 'publish'>;
type Copies = Omit<TemplateState, 'template'>;
type Address = NonNullable<Fields['from']>;

/** Puts the fields of a request over a draft. It may be asked again, when another request was faster. */
export type ApplyFields = (editor: Editor, copies: Copies) => Promise<CopyFields>;

/** Reads the fields of POST and PUT (spec 2-messages §6.3): all but the name go to the draft. */
@Injectable()
export class ApplyTemplateBody {
  constructor(
    private readonly domains: DomainDirectory,
    private readonly designs: Designs,
  ) {}

  /** Whatever takes long is done once, however often the fields are applied. */
  of(accountId: AccountId, fields: Fields): ApplyFields {
    const content = fields.content && givenContent(fields.content);
    const make = remembering((job: DesignJob) => this.designs.make(accountId, job));
    const sender = remembering(() => this.readSender(accountId, fields.from));
    return async (editor, copies) => {
      const current = copies.draft ?? copies.published ?? EMPTY_COPY;
      const addresses = applyReplyTo(fields.reply_to, { ...current, ...(await sender(undefined)) });
      if (content) requireEditor(editor, content);
      const body = content ? await applyContent(content, copies, make) : bodyOf(current);
      return {
        subject: textOf(fields.subject, current.subject),
        preheader: textOf(fields.preheader, current.preheader),
        ...addresses,
        ...body,
      };
    };
  }

  /** @throws ApiError 400 when the domain may not send */
  private async readSender(
    accountId: AccountId,
    given: Address | null | undefined,
  ): Promise<Partial<Pick<CopyFields, 'from' | 'replyTo'>>> {
    if (given === undefined) return {};
    if (given === null) return { from: null, replyTo: null };
    const { address, domain } = requireSender(given.email);
    const name = requireName(given.name ?? '', 'from.name');
    const facts = await this.domains.find(accountId, domain);
    if (!facts || facts.deleted) throw new ApiError(400, `domain '${domain}' not found in this account`);
    if (!facts.dns_valid) throw new ApiError(400, `domain '${domain}' does not have valid DNS records`);
    if (facts.paused) {
      throw new ApiError(
        400,
        `Sending from domain '${domain}' is paused. Check your dashboard for the reason.`,
      );
    }
    return { from: { email: address, name } };
  }
}

const textOf = (given: string | null | undefined, current: string): string =>
  given === undefined ? current : (given ?? '');

const bodyOf = ({ mjml, html, text, textIsCustom }: TemplateBody): TemplateBody => ({
  mjml,
  html,
  text,
  textIsCustom,
});

function requireName(name: string, field: string): string {
  const trimmed = requireOneLine(name, field).trim();
  if (isLongerThan(trimmed, MAX_SENDER_NAME))
    throw new ApiError(400, `${field} must be at most ${MAX_SENDER_NAME} characters`);
  return Buffer.from(trimmed).toString();
}

/** @throws ApiError 400 for a reply-to without a sender or with a name */
function applyReplyTo(
  given: Address | null | undefined,
  { from, replyTo }: Pick<CopyFields, 'from' | 'replyTo'>,
): Pick<CopyFields, 'from' | 'replyTo'> {
  if (given === undefined) return { from, replyTo };
  if (given === null) return { from, replyTo: null };
  const { address } = requireAddress(given.email, 'reply_to.email');
  if ((given.name ?? '') !== '') throw new ApiError(400, 'reply_to.name must be empty');
  if (from === null) throw new ApiError(400, 'reply_to needs a sender, give from');
  return { from, replyTo: address };
}

type Make = (job: DesignJob) => Promise<MadeDesign>;

/** Spec 2-messages §6.3 content rules 1 to 5. */
async function applyContent(
  given: ReturnType<typeof givenContent>,
  copies: Copies,
  make: Make,
): Promise<TemplateBody> {
  const current = copies.draft ?? copies.published ?? EMPTY_COPY;
  const design = designOf(given, current, copies.published ?? EMPTY_COPY);
  const isNewDesign = design.kind !== 'kept';
  const choice = { given: given.text, isNewDesign, current, earlier: madeTexts(copies) };
  const made = design.kind === 'new' ? await make(jobOf(design.source)) : undefined;
  const { mjml, html } = designFields(design, current, made);
  const text = needsMadeText(choice) ? await madeText(design, { html, current, made }, make) : undefined;
  return { mjml, html, ...pickText(chooseText(choice, text)) };
}

const pickText = ({ text, textIsCustom }: Pick<TemplateBody, 'text' | 'textIsCustom'>) => ({
  text,
  textIsCustom,
});

const jobOf = (source: { mjml: string } | { html: string }): DesignJob =>
  'mjml' in source ? source : { ...source, check: true };

function designFields(design: Design, current: TemplateBody, made: MadeDesign | undefined) {
  if (design.kind === 'kept') return current;
  if (design.kind === 'stored') return design.body;
  return { mjml: 'mjml' in design.source ? design.source.mjml : null, html: made?.html ?? null };
}

/** @returns null without HTML */
async function madeText(
  design: Design,
  { html, current, made }: { html: string | null; current: TemplateBody; made: MadeDesign | undefined },
  make: Make,
): Promise<string | null> {
  if (made) return made.text;
  if (html === null) return null;
  const stored = design.kind === 'stored' ? design.body : current;
  if (!stored.textIsCustom) return stored.text ?? '';
  // stored HTML is not checked again
  return (await make({ html, check: false })).text;
}

function remembering<I, R>(work: (input: I) => Promise<R>): (input: I) => Promise<R> {
  const done = new Map<string, Promise<R>>();
  return (input) => {
    const key = JSON.stringify(input) ?? '';
    const known = done.get(key) ?? work(input);
    done.set(key, known);
    return known;
  };
}
