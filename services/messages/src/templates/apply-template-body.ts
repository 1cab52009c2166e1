import { Injectable } from '@nestjs/common';
import { remembering } from '@postmesh/concurrency';
import { ApiError, isLongerThan, trimText, type AccountId } from '@postmesh/contracts';
import { requireAsciiAddress, requireOneLine } from '../accept/shared-fields.rules.js';
import { requireSender } from '../accept/sending-domain.rules.js';
import { DomainDirectory } from '@postmesh/domains-contract';
import {
  applyContent,
  Designs,
  givenContent,
  requireEditor,
  TEMPLATE_CONTENT,
  type DesignBody,
  type DesignJob,
  type DesignShare,
  type Editor,
} from '@postmesh/designs';
import { EMPTY_COPY, type CopyFields, type TemplateState } from './template.js';
import { MAX_SENDER_NAME, type UpdateTemplateBody } from './template.schema.js';

type Fields = Omit<UpdateTemplateBody, 'name' | 'publish'>;
type Copies = Omit<TemplateState, 'template'>;
type Address = NonNullable<Fields['from']>;

/** Applies the fields of a request to a draft. It may be called again, after a concurrent write. */
export type ApplyFields = (editor: Editor, copies: Copies) => Promise<CopyFields>;

/** Reads the fields of POST and PUT (spec 2-messages §6.3): all except the name belong to the draft. */
@Injectable()
export class ApplyTemplateBody {
  constructor(
    private readonly domains: DomainDirectory,
    private readonly designs: Designs,
  ) {}

  /** Slow work is done once, also when the fields are applied several times. */
  of(accountId: AccountId, share: DesignShare, fields: Fields): ApplyFields {
    const content = fields.content && givenContent(fields.content);
    const make = remembering((job: DesignJob) => this.designs.make(share, job));
    const sender = remembering(() => this.readSender(accountId, fields.from));
    return async (editor, copies) => {
      const current = copies.draft ?? copies.published ?? EMPTY_COPY;
      const addresses = applyReplyTo(fields.reply_to, { ...current, ...(await sender(undefined)) });
      if (content) requireEditor(editor, content);
      const stored = { current, others: [copies.published ?? EMPTY_COPY] };
      const policy = { policy: TEMPLATE_CONTENT, make };
      const body = content ? await applyContent(content, stored, policy) : bodyOf(current);
      return {
        subject: textOf(fields.subject, current.subject),
        preheader: textOf(fields.preheader, current.preheader),
        ...addresses,
        ...body,
        // blocks are written in the console (template-blocks.ts)
        design: current.design,
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

const bodyOf = ({ mjml, html, text, textIsCustom }: DesignBody): DesignBody => ({
  mjml,
  html,
  text,
  textIsCustom,
});

function requireName(name: string, field: string): string {
  const trimmed = trimText(requireOneLine(name, field));
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
  const { address } = requireAsciiAddress(given.email, 'reply_to.email');
  if ((given.name ?? '') !== '') throw new ApiError(400, 'reply_to.name must be empty');
  if (from === null) throw new ApiError(400, 'reply_to needs a sender, give from');
  return { from, replyTo: address };
}
