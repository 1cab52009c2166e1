import type { ServiceDocument } from '@postmesh/contracts';
import { ProviderFigures, StatisticsGroupParameters, TemplateFigures } from './statistics-groups.resource.js';

/** Operations of the console (decision 116). */
export const STATISTICS_GROUPS_DOCUMENT: ServiceDocument = {
  'statistics-groups.templates': {
    summary: 'Get the figures of each template',
    description: 'The 100 templates with most messages in the range, which is read in whole hours.',
    query: StatisticsGroupParameters,
    response: { status: 200, description: 'The figures.', schema: TemplateFigures },
    apiErrors: [{ status: 400, when: 'A parameter is invalid.' }],
  },
  'statistics-groups.providers': {
    summary: 'Get the figures of each mailbox provider',
    description:
      'By the host that a message was given to. Messages of campaigns are included: a provider sees no difference.',
    query: StatisticsGroupParameters,
    response: { status: 200, description: 'The figures.', schema: ProviderFigures },
    apiErrors: [{ status: 400, when: 'A parameter is invalid.' }],
  },
};
