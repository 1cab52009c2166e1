import type { ServiceDocument } from '@postmesh/contracts';
import { PublicListBody, PublicListResource } from './public-list.schema.js';

const noList = { status: 404, when: '`list not found`' } as const;

/** Operations of the console (decision 152). */
export const PUBLIC_LISTS_DOCUMENT: ServiceDocument = {
  'public-lists.get': {
    summary: 'See whether contacts can choose a list',
    response: { status: 200, description: 'Its place in the preference centre.', schema: PublicListResource },
    apiErrors: [noList],
  },
  'public-lists.put': {
    summary: 'Show a list in the preference centre, or hide it',
    description: 'Contacts reach the preference centre by the unsubscribe link of a campaign.',
    body: PublicListBody,
    response: { status: 200, description: 'Its place in the preference centre.', schema: PublicListResource },
    apiErrors: [
      { status: 400, when: 'A public list needs a title.' },
      noList,
      { status: 409, when: 'The preference centre shows 50 lists.' },
    ],
  },
};
