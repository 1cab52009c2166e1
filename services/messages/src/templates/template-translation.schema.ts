import { z } from 'zod';
import { SOURCE_NAMES, type SourceName } from '@postmesh/importers';

/** The most characters of a file: more is for the command line. */
const MAX_FILE = 5_000_000;
const MAX_FILE_NAME = 255;

export const TemplateTranslationBody = z.object({
  service: z
    .enum(SOURCE_NAMES as [SourceName, ...SourceName[]])
    .meta({ description: 'The service that has the templates.' }),
  file: z.string().min(1).max(MAX_FILE_NAME).meta({
    description:
      'Its name: one that ends with `.json` has an answer of the API of the service, another one HTML.',
  }),
  text: z.string().min(1).max(MAX_FILE).meta({ description: 'The content of the file.' }),
});
export type TemplateTranslationBody = z.infer<typeof TemplateTranslationBody>;

const TranslatedTemplate = z
  .object({
    name: z.string(),
    result: z.enum(['new', 'unchanged', 'refused']).meta({
      description:
        '`unchanged`: the account has it. `refused`: it has problems, and no part of it is translated.',
    }),
    problems: z.array(z.object({ part: z.string(), line: z.int().optional(), problem: z.string() })),
    template: z
      .object({ subject: z.string().optional(), html: z.string().optional(), text: z.string().optional() })
      .nullable()
      .meta({ description: 'The parts of a new one in our language.' }),
  })
  .meta({ id: 'TranslatedTemplate', description: 'A template of another service.' });
export type TranslatedTemplate = z.infer<typeof TranslatedTemplate>;

export const TemplateTranslation = z
  .object({ object: z.literal('template_translation'), templates: z.array(TranslatedTemplate) })
  .meta({ id: 'TemplateTranslation', description: 'Templates of another service, in our language.' });
export type TemplateTranslation = z.infer<typeof TemplateTranslation>;
