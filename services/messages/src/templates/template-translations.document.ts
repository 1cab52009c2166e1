import type { ServiceDocument } from '@postmesh/contracts';
import { TemplateTranslation, TemplateTranslationBody } from './template-translation.schema.js';

/** Operations of the console (decision 116). */
export const TEMPLATE_TRANSLATIONS_DOCUMENT: ServiceDocument = {
  'template-translations.create': {
    summary: 'Read templates that another service exported',
    description:
      'By the translators of `npx postmesh import`. Nothing is stored: the new ones are created one by one.',
    body: TemplateTranslationBody,
    example: { service: 'mailchimp', file: 'welcome.html', text: '<p>Hello *|FNAME|*</p>' },
    response: {
      status: 200,
      description: 'Each template, in our language, or with its problems.',
      schema: TemplateTranslation,
      example: {
        object: 'template_translation',
        templates: [
          {
            name: 'welcome',
            result: 'new',
            problems: [],
            template: { html: '<p>Hello {{ first_name }}</p>' },
          },
        ],
      },
    },
    apiErrors: [{ status: 400, when: 'The file has no templates of the service.' }],
  },
};
