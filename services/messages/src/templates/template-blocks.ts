import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { remembering } from '@postmesh/concurrency';
import type { AccountId, Principal } from '@postmesh/contracts';
import {
  applyContent,
  designBlocks,
  Designs,
  htmlOfBlocks,
  requireSimple,
  TEMPLATE_CONTENT,
  type DesignBlocks,
  type DesignBlocksBody,
  type DesignJob,
  type DesignShare,
} from '@postmesh/designs';
import { ReadTemplates } from './read-templates.js';
import { TemplateChanges } from './template-changes.js';
import { EMPTY_COPY, type CopyFields } from './template.js';

interface Write {
  principal: Principal;
  id: string;
  input: DesignBlocksBody;
  share: DesignShare;
}

/** The blocks of a template of the editor `simple`, which the API reads as HTML (spec 2-messages §6.1, decision 126). */
@Injectable()
export class TemplateBlocks {
  constructor(
    private readonly templates: ReadTemplates,
    private readonly changes: TemplateChanges,
    private readonly designs: Designs,
  ) {}

  /** Those of the draft, else of the published copy. @throws ApiError 404 */
  async read(accountId: AccountId, id: string): Promise<DesignBlocks> {
    const { draft, published } = await this.templates.state(accountId, id);
    return designBlocks(draft ?? published ?? EMPTY_COPY);
  }

  /** Into the draft. @throws ApiError 400, 404, 409 or 503 */
  async write({ principal, id, input, share }: Write): Promise<DesignBlocks> {
    const make = remembering((job: DesignJob) => this.designs.make(share, job));
    const { draft, published } = await this.changes.change(principal, id, async ({ template, ...copies }) => {
      requireSimple(template);
      const current = copies.draft ?? copies.published ?? EMPTY_COPY;
      const others = [copies.published ?? EMPTY_COPY];
      const html = await this.htmlOf(current, { input, make });
      const given = { mjml: undefined, html, text: input.text ?? null };
      const body = await applyContent(given, { current, others }, { policy: TEMPLATE_CONTENT, make });
      const { subject, preheader, from, replyTo } = current;
      const copy = { subject, preheader, from, replyTo, ...body, design: input.blocks };
      return { name: template.name, copy, publish: false };
    });
    return designBlocks(draft ?? published ?? EMPTY_COPY);
  }

  /** Unchanged blocks are not compiled again. */
  private htmlOf(
    current: CopyFields,
    { input, make }: { input: DesignBlocksBody; make: (job: DesignJob) => ReturnType<Designs['make']> },
  ): Promise<string> | string {
    if (current.html !== null && isDeepStrictEqual(current.design, input.blocks)) return current.html;
    return htmlOfBlocks(input.blocks, { policy: TEMPLATE_CONTENT, make });
  }
}
