import type { ServiceDocument } from '@postmesh/contracts';
import { ContactPreferencesResource } from './contact-preferences.schema.js';
import { PublicListBody, PublicListResource } from './public-list.schema.js';

const noList = { status: 404, when: '`list not found`' } as const;

/** Operations of the console (decisions 152 and 178). */
export const PREFERENCES_DOCUMENT: ServiceDocument = {
  'contact-preferences.get': {
    summary: 'Get the preferences of a contact',
    description: 'The contact itself chooses them, behind the unsubscribe link of a campaign.',
    response: { status: 200, description: 'Its choices.', schema: ContactPreferencesResource },
    apiErrors: [{ status: 404, when: '`contact not found`' }],
  },
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
