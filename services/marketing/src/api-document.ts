import type { ServiceDocument } from '@postmesh/contracts';
import { CONSENTS_DOCUMENT } from './consents/consents.document.js';
import { PREFERENCES_DOCUMENT } from './preferences/preferences.document.js';
import { SEGMENTS_DOCUMENT } from './segments/segments.document.js';
import { SIGN_UPS_DOCUMENT } from './sign-ups/sign-ups.document.js';
import { ATTRIBUTES_DOCUMENT } from './contacts/attributes/attributes.document.js';
import { CONTACT_BATCHES_DOCUMENT } from './contacts/imports/contact-batches.document.js';
import { CONTACTS_DOCUMENT } from './contacts/contacts.document.js';
import { LISTS_DOCUMENT } from './lists/lists.document.js';
import { CAMPAIGN_TEMPLATES_DOCUMENT } from './campaign-templates/campaign-templates.document.js';
import { CAMPAIGN_TEMPLATE_BLOCKS_DOCUMENT } from './campaign-templates/campaign-template-blocks.document.js';
import { CAMPAIGN_BLOCKS_DOCUMENT } from './campaigns/campaign-blocks.document.js';
import { CAMPAIGN_TEMPLATE_PREVIEWS_DOCUMENT, CAMPAIGNS_DOCUMENT } from './campaigns/campaigns.document.js';
import {
  CAMPAIGN_HOLDS_DOCUMENT,
  CAMPAIGN_STATES_DOCUMENT,
} from './campaign-states/campaign-states.document.js';
import { TRIALS_DOCUMENT } from './trials/trials.document.js';
import { CAMPAIGN_FIGURES_DOCUMENT, RESULTS_DOCUMENT } from './results/results.document.js';

/** The API document of this service's operations (docs/contract/3-marketing.md). */
export const API_DOCUMENT: ServiceDocument = {
  ...CONTACTS_DOCUMENT,
  ...LISTS_DOCUMENT,
  ...CAMPAIGN_TEMPLATES_DOCUMENT,
  ...CAMPAIGNS_DOCUMENT,
  ...CAMPAIGN_STATES_DOCUMENT,
  ...RESULTS_DOCUMENT,
};

/** Operations of the console in this service (decision 116). */
export const CONSOLE_DOCUMENT: ServiceDocument = {
  ...ATTRIBUTES_DOCUMENT,
  ...CONTACT_BATCHES_DOCUMENT,
  ...CAMPAIGN_BLOCKS_DOCUMENT,
  ...CAMPAIGN_TEMPLATE_BLOCKS_DOCUMENT,
  ...CAMPAIGN_TEMPLATE_PREVIEWS_DOCUMENT,
  ...CAMPAIGN_FIGURES_DOCUMENT,
  ...CAMPAIGN_HOLDS_DOCUMENT,
  ...SEGMENTS_DOCUMENT,
  ...TRIALS_DOCUMENT,
  ...SIGN_UPS_DOCUMENT,
  ...CONSENTS_DOCUMENT,
  ...PREFERENCES_DOCUMENT,
};
