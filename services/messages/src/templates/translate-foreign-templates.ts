import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ApiError, type AccountId } from '@postmesh/contracts';
import { MAX_DESIGN_BYTES } from '@postmesh/designs';
import {
  effectOf,
  SOURCES,
  templatesAbout,
  templatesInText,
  translateParts,
  type TemplateParts,
} from '@postmesh/importers';
import type { TemplateCopy } from './template.js';
import type {
  TemplateTranslation,
  TemplateTranslationBody,
  TranslatedTemplate,
} from './template-translation.schema.js';
import { TemplatesRepository } from './templates.repository.js';

/** The most of one file: more is for the command line. */
const MAX_TEMPLATES = 500;

/** Templates that another service exported, in our language; nothing is stored (decision 156). */
@Injectable()
export class TranslateForeignTemplates {
  constructor(private readonly templates: TemplatesRepository) {}

  /** @throws ApiError 400 */
  async execute(accountId: AccountId, given: TemplateTranslationBody): Promise<TemplateTranslation> {
    const about = templatesAbout(SOURCES[given.service]);
    const found = templatesInText(given);
    if (found.length > MAX_TEMPLATES)
      throw new ApiError(400, `the file has more than ${MAX_TEMPLATES} templates`);
    const templates: TranslatedTemplate[] = [];
    for (const template of found) {
      const { name } = template;
      const translated = [template.html, template.text].some((part) => part.length > MAX_DESIGN_BYTES)
        ? { parts: {}, problems: [{ part: 'html', problem: 'it has more than 1 MiB' }] }
        : translateParts(template, about);
      const { result, problems } = effectOf(translated, await this.stored(accountId, name));
      templates.push({ name, result, problems, template: result === 'new' ? translated.parts : null });
      // a large file does not hold up other requests
      await yieldToOthers();
    }
    return { object: 'template_translation', templates };
  }

  /** The parts of the draft, which an import makes; without one, the published parts. */
  private async stored(accountId: AccountId, name: string): Promise<TemplateParts[]> {
    const states = await this.templates.named(accountId, name);
    return states.map(({ draft, published }) => partsOf(draft ?? published));
  }
}

const partsOf = (copy: TemplateCopy | undefined): TemplateParts => ({
  subject: copy?.subject ?? '',
  html: copy?.html ?? '',
  // a text that was made of the HTML is none of the template's own
  ...(copy?.textIsCustom ? { text: copy.text ?? '' } : {}),
});
