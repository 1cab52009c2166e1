/** The families of operations, in the order of the reference. */
const TAGS: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  ping: { name: 'Ping', description: 'Is the key good?' },
  messages: { name: 'Messages', description: 'Sending mail, and what became of it.' },
  templates: { name: 'Templates', description: 'Transactional templates: drafts, versions, publishing.' },
  domains: { name: 'Domains', description: 'Sending domains, and the DNS records to publish for them.' },
  suppressions: { name: 'Suppressions', description: 'Addresses that a domain does not write to.' },
  statistics: { name: 'Statistics', description: 'What became of messages, in numbers and over time.' },
  webhooks: { name: 'Webhooks', description: 'Calls to your servers when something happens.' },
  routes: { name: 'Routes', description: 'Calls to your servers when mail to your domains arrives.' },
  contacts: { name: 'Contacts', description: 'People whom campaigns are sent to.' },
  lists: { name: 'Lists', description: 'Lists of contacts, and who is on them.' },
  campaigns: { name: 'Campaigns', description: 'Messages to lists: drafts, sending, results.' },
  'campaign-templates': { name: 'Campaign templates', description: 'Designs that campaigns are made from.' },
  'smtp-credentials': {
    name: 'SMTP credentials',
    description: 'User names and passwords for submission over SMTP.',
  },
  account: { name: 'Account', description: 'The account itself, and its defaults for sending.' },
  members: { name: 'Members', description: 'The people of the account.' },
  'api-keys': { name: 'API keys', description: 'Keys, what they may do, and from where.' },
  'sub-accounts': { name: 'Sub-accounts', description: 'Accounts that a partner keeps for its customers.' },
  'sign-in-links': { name: 'Sign-in', description: 'Links that sign a member in.' },
  'sign-in-ways': { name: 'Ways to sign in', description: 'What the page of the sign-in offers.' },
  'oidc-sign-ins': {
    name: 'Sign-in by OpenID Connect',
    description: 'The provider of the organisation, which signs its members in.',
  },
  'passkey-sign-ins': { name: 'Sign-in by passkey', description: 'Passkeys that sign a member in.' },
  'member-names': { name: 'Members', description: 'The members of the account, by address and name.' },
  passkeys: { name: 'Passkeys', description: 'The passkeys of the member.' },
  session: { name: 'Session', description: 'The member who is signed in, and the account they work in.' },
  sessions: { name: 'Sessions', description: 'All browsers in which the member is signed in.' },
  roles: { name: 'Roles', description: 'What members may do.' },
  events: { name: 'Events', description: 'What changes, while it changes.' },
  'domain-doctor': { name: 'Doctor', description: 'The deliverability of a domain, check by check.' },
  'record-problems': {
    name: 'Records',
    description: 'Records of a domain that resolvers do not see as they shall be.',
  },
  'setup-links': { name: 'Set-up links', description: 'Links that publish the records of a domain.' },
  'dns-hosts': { name: 'DNS hosts', description: 'Zones whose records are written at their DNS host.' },
  'dns-changes': { name: 'DNS changes', description: 'Records that differ at the DNS host of a domain.' },
  'report-records': { name: 'Report records', description: 'Records that let receivers send reports.' },
  'domain-reports': { name: 'Reports', description: 'What receivers report about the mail of a domain.' },
  'message-search': { name: 'Search', description: 'Messages of all kinds.' },
  'message-attempts': { name: 'Attempts', description: 'How a message was delivered.' },
  'message-calls': { name: 'Calls', description: 'The calls of webhooks and routes for a message.' },
  'sending-state': { name: 'Sending', description: 'What holds up the mail of the account.' },
  'listed-suppressions': { name: 'Suppressions', description: 'Addresses that get no mail, and why.' },
  'suppression-batches': {
    name: 'Imports of suppressions',
    description: 'Lists of addresses from elsewhere.',
  },
  'contact-batches': { name: 'Imports of contacts', description: 'Contacts of other services.' },
  'contact-attributes': { name: 'Attributes', description: 'What contacts have beyond their names.' },
  segments: { name: 'Segments', description: 'Saved filters over contacts.' },
  'segment-counts': { name: 'Counts of filters', description: 'The contacts of a filter that is not saved.' },
  'campaign-audiences': { name: 'Segments of campaigns', description: 'In addition to their lists.' },
  'campaign-skips': {
    name: 'Skipped recipients',
    description: 'The reasons for which campaigns left recipients out.',
  },
  'campaign-trials': { name: 'Variants of campaigns', description: 'Which subject or content works better.' },
  'sign-up-forms': { name: 'Sign-up forms', description: 'Pages on which people join a list.' },
  'sign-ups': { name: 'Sign-ups', description: 'Addresses that are asked whether they want to join.' },
  consents: { name: 'Consents', description: 'The record of what people agreed to.' },
  'contact-preferences': {
    name: 'Preferences of contacts',
    description: 'The choices in their preference centre.',
  },
  'public-lists': {
    name: 'Public lists',
    description: 'Lists that contacts choose in their preference centre.',
  },
  'template-translations': {
    name: 'Imports of templates',
    description: 'Templates of other services, in our language.',
  },
  'template-blocks': { name: 'Blocks of templates', description: 'Designs of the block editor.' },
  'campaign-blocks': { name: 'Blocks of campaigns', description: 'Designs of the block editor.' },
  'campaign-template-blocks': {
    name: 'Blocks of campaign templates',
    description: 'Designs of the block editor.',
  },
  'statistics-overview': { name: 'Overview', description: 'All messages in a few numbers.' },
  'statistics-groups': {
    name: 'Figures by group',
    description: 'By template, by mailbox provider and by campaign.',
  },
  'ses-credentials': { name: 'SES credentials', description: 'Access keys for signed requests.' },
  'webhook-dialects': { name: 'Webhook dialects', description: 'Calls in the form of other services.' },
  'endpoint-deliveries': {
    name: 'Deliveries',
    description: 'The calls of webhooks and routes, with their answers.',
  },
  'endpoint-replays': { name: 'Repetitions', description: 'Calls that are made again.' },
  'request-log': { name: 'Request log', description: 'Requests that were refused or have failed.' },
  audit: { name: 'Audit', description: 'Who did what.' },
  'smtp-settings': { name: 'SMTP settings', description: 'Where programs submit over SMTP.' },
  'sub-account-api-keys': { name: 'Sub-account API keys', description: 'Keys of the accounts below.' },
};

const familyOf = (operationId: string): string => operationId.split('.')[0] ?? operationId;

/** @throws Error for a family without a tag */
export function tagOf(operationId: string): string {
  const tag = TAGS[familyOf(operationId)];
  if (!tag)
    throw new Error(`the family of ${operationId} has no tag in services/gateway/src/openapi/tags.ts`);
  return tag.name;
}

/** The tags of the given operations. */
export function tagsOf(operationIds: readonly string[]) {
  const used = new Set(operationIds.map(familyOf));
  return Object.entries(TAGS).flatMap(([family, tag]) => (used.has(family) ? [tag] : []));
}
