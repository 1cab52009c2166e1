import { ApiErrors, MessageResponse, type ServiceDocument } from '@postmesh/contracts';
import { MessagePreview } from '@postmesh/messages-contract';
import { SendResponse, TOO_LARGE } from './accept/send-result.js';
import {
  ConversationBody,
  REGULAR_RULES,
  RegularBody,
  TEMPLATE_RULES,
  TemplateSendBody,
} from './accept/send.schema.js';
import { GetMessageQuery, ListMessagesQuery } from './list-messages/message-filters.rules.js';
import { MessagePage, MessageResource } from './read-message/message.resource.js';
import {
  alreadySuppressed,
  CreateSuppressionBody,
  DeleteSuppressionQuery,
  ListSuppressionsQuery,
  noDomains,
  noSuchDomain,
  SuppressionList,
  SuppressionPage,
  WipeSuppressionsQuery,
} from './suppressions/suppression.schema.js';
import {
  BounceResponse,
  DeliverabilityResponse,
  DeliveryTimeResponse,
  StatisticsParameters,
  StatisticsOverview,
} from './statistics/statistics.resource.js';
import { STATISTICS_GROUPS_DOCUMENT } from './statistics/statistics-groups.document.js';
import { TEMPLATE_BLOCKS_DOCUMENT } from './templates/template-blocks.document.js';
import {
  CreateTemplateBody,
  RestoreBody,
  TemplateDraftResource,
  TemplatePage,
  TemplatePreviewBody,
  TemplateResource,
  TemplateVersionDetail,
  TemplateVersionList,
  UpdateTemplateBody,
} from './templates/template.schema.js';
import { monthlyLimitReached } from './usage/usage.rules.js';
import { FoundMessagePage } from './search-all/found-message.schema.js';
import { SearchMessagesQuery } from './search-all/search-filters.rules.js';
import { GROUPINGS } from './statistics/time-ranges.rules.js';

const says = (apiError: { message: string }): string => `\`${apiError.message}\``;

const noTemplate = { status: 404, when: says(ApiErrors.notFound('template')) } as const;
const noVersion = { status: 404, when: says(ApiErrors.notFound('template version')) } as const;
const changedMeanwhile = {
  status: 503,
  when: '`template is being changed by another request, try again`, with `Retry-After`',
} as const;
const nothingToPublish = {
  status: 400,
  when: '`template has no content to publish`, or a part of it cannot be rendered.',
} as const;
const badTemplate = {
  status: 400,
  when: 'The domain of `from` may not send, the content has a problem (of MJML each with its line), or the editor is another one.',
} as const;
const template = (status: 200 | 201, description: string) => ({
  status,
  description,
  schema: TemplateResource,
});

const STATISTICS = {
  description: `Messages that were sent through the API and over SMTP, without those of campaigns and of the sandbox. What happens
counts at the time when it happens, each message once per column; only what lies inside \`[from_time, to_time)\` is counted.
Figures appear within a minute and are kept for 13 months.`,
  query: StatisticsParameters,
  apiErrors: [
    { status: 400, when: says(ApiErrors.invalidTime('from_time')) },
    { status: 400, when: '`from_time must be before to_time`' },
    {
      status: 400,
      when: `${says(ApiErrors.invalidParameter('group_by', GROUPINGS))}, \`time range is too large for group_by\``,
    },
    { status: 400, when: '`invalid sender_domain: <domain>`: it is not one of the account' },
    {
      status: 403,
      when: `${says(ApiErrors.missingDomainScope('statistics-transactional:read'))}: also for one of several domains`,
    },
  ],
} as const;

const SEND_ERRORS = [
  {
    status: 400,
    when: 'The domain of the sender is not one of the account, or its DNS records are not valid.',
  },
  { status: 400, when: `\`${TOO_LARGE}\`: before anything is rendered` },
  { status: 403, when: says(ApiErrors.sendScope('example.com')) },
  { status: 403, when: says(ApiErrors.accountSuspended()) },
  { status: 403, when: 'Sending from the domain is paused; to the sandbox it is not.' },
  { status: 403, when: `${says(monthlyLimitReached())}: the request as a whole would pass it` },
] as const;

const INVALID_TEMPLATE = {
  status: 400,
  when: "`invalid template in <field>: <reason>`, `substitution value for header '<name>' of <email> must not contain a line break`",
} as const;

const ONE_PER_RECIPIENT = {
  status: 202,
  description: 'Stored and queued: one element per recipient, in the order of the request.',
  schema: SendResponse,
} as const;

const ALONE = `A recipient who cannot be sent to has an \`error\`, and the message goes to the others: the account shields itself
from the domain, or the message cannot be rendered or gets too large with these values.`;

/** Texts of the API document for the operations of this service (spec 2-messages §1 to §3; spec 1-platform §14.2). */
export const API_DOCUMENT: ServiceDocument = {
  'messages.send': {
    summary: 'Send a message to each of up to 100 recipients',
    description: `A separate message per recipient, without the addresses of the others. Subject, header values and bodies are templates
(MiniJinja, a dialect of Jinja2) for each recipient for whom there are \`substitutions\`, in the request or of their own;
without any, braces leave as they are written. Values are not escaped: escape those that go into \`html_content\`.
The response comes after everything is stored.

${ALONE} The domain that the scope is compared with is the one of \`from\`.`,
    scopeFamily: 'messages:send',
    body: RegularBody,
    example: {
      from: { email: 'orders@shop.example.com', name: 'Shop' },
      recipients: [
        { email: 'ann@mail.example.com', name: 'Ann', substitutions: { order: 'A-17' } },
        { email: 'bob@mail.example.com' },
      ],
      subject: 'Order {{ order }}',
      text_content: 'Thanks, {{ name }}!',
      substitutions: { name: 'friend', order: '?' },
      tags: ['receipt'],
    },
    response: ONE_PER_RECIPIENT,
    apiErrors: [
      INVALID_TEMPLATE,
      {
        status: 400,
        when: '`substitutions are too large for <n> recipients`: those of the request, more than 32 MiB for all together',
      },
      { status: 400, when: `\`${REGULAR_RULES.refused.template_id}\`` },
      ...SEND_ERRORS,
    ],
  },
  'messages.send-conversation': {
    summary: 'Send a message whose recipients see each other',
    description: `One message with all of \`to\` and \`cc\` in its headers; \`bcc\` stays unseen. At most 50 recipients in all; an
address that is named twice gets it once. Each recipient has a message of their own, and all of them share one
Message-ID. Nothing is substituted. The response comes after everything is stored.

A recipient who cannot be sent to, because the account shields itself from the domain for one, has an \`error\`; the
message goes to the others. The domain that the scope is compared with is the one of \`from\`.`,
    scopeFamily: 'messages:send',
    body: ConversationBody,
    example: {
      from: { email: 'hr@corp.example.com', name: 'HR' },
      to: [{ email: 'ann@mail.example.com', name: 'Ann' }],
      cc: [{ email: 'boss@corp.example.com' }],
      subject: 'Welcome',
      text_content: 'Good to have you with us.',
      tracking: { open: false },
    },
    response: {
      status: 202,
      description: 'Stored and queued: one element per recipient, in the order to, cc, bcc.',
      schema: SendResponse,
    },
    apiErrors: SEND_ERRORS,
  },
  'messages.send-template': {
    summary: 'Send a template to each of up to 100 recipients',
    description: `The published copy of a transactional template: HTML with its preview text, and text. A separate message per
recipient, without the addresses of the others. Each recipient needs a value for each required variable, see \`variables\` of the
template; \`email\` and \`unsubscribe_url\` are supplied. In the HTML values are escaped unless the design writes
\`{{ name|safe }}\`. When the design uses \`unsubscribe_url\`, each recipient gets a link, in \`List-Unsubscribe\` too.

${ALONE} The domain that the scope is compared with is the one of \`from\`, or of the template's default sender; no
\`templates\` scope is needed.`,
    scopeFamily: 'messages:send',
    body: TemplateSendBody,
    example: {
      template_id: '0195c2a4-7d3e-7b6a-9f1c-2e4d5a6b7c8d',
      recipients: [{ email: 'ann@mail.example.com', substitutions: { first_name: 'Ann', code: '991' } }],
      sandbox: true,
    },
    response: ONE_PER_RECIPIENT,
    apiErrors: [
      ...Object.values(TEMPLATE_RULES.refused).map((text) => ({ status: 400 as const, when: `\`${text}\`` })),
      { status: 400, when: '`from is required because the template has no default sender`' },
      {
        status: 400,
        when: "`the template's default sender or reply-to is not valid, edit it on the template page and publish it`",
      },
      { status: 400, when: '`template has no published content, design it and publish it`' },
      {
        status: 400,
        when: "`template's published design holds a {{, {% or {# that cannot be rendered, fix it and publish it`",
      },
      {
        status: 400,
        when: '`the template has no subject, publish one on the template page or pass subject`',
      },
      { status: 400, when: '`missing required template variables: <email> needs <name>, <name>`' },
      INVALID_TEMPLATE,
      { status: 403, when: '`this api key is not authorized to send messages`: from any domain' },
      { status: 404, when: says(ApiErrors.notFound('template')) },
      ...SEND_ERRORS,
    ],
  },
  'messages.list': {
    summary: 'List messages',
    description: `Newest first. Filters are joined by AND. A key with scopes for domains sees messages from those alone.

Messages of campaigns are not listed: there may be a million. \`GET …/campaigns/{campaign_id}/recipients?email=<address>\` has the
\`message_id\` of each, by which \`GET …/messages/{message_id}\` reads it.`,
    query: ListMessagesQuery,
    paginated: true,
    response: { status: 200, description: 'One page, without contents.', schema: MessagePage },
    apiErrors: [
      { status: 400, when: "`invalid status '<v>'`, more than 20 tags, or a malformed time" },
      { status: 403, when: '`sender domain not found in api key scopes`' },
    ],
  },
  'messages.get': {
    summary: 'Get a message',
    description: `By its id or by its Message-ID, with or without angle brackets. Of a Message-ID that several recipients share,
the message of the first one is answered, or with \`recipient\` that of this one. Messages of campaigns are found, too. \`content\` and \`content_parsed\` are there as long as the content is kept.`,
    scopeFamily: 'messages:read',
    query: GetMessageQuery,
    response: { status: 200, description: 'The message.', schema: MessageResource },
    apiErrors: [
      { status: 400, when: says(ApiErrors.invalidParameter('message_id')) },
      {
        status: 404,
        when: `${says(ApiErrors.notFound('message'))}, also when it is no longer kept, or has no such recipient`,
      },
    ],
  },
  'messages.cancel': {
    summary: 'Cancel a message',
    description: `Before its first attempt: it is never tried then, and no webhook is called. Of a Message-ID that several messages
share, each that still can be is canceled.`,
    response: {
      status: 200,
      description: 'At least one is canceled.',
      schema: MessageResponse,
      example: { message: 'message cancelled successfully' },
    },
    apiErrors: [
      { status: 400, when: '`message cannot be cancelled`: it was tried, has ended, or is canceled already' },
      { status: 400, when: says(ApiErrors.invalidParameter('message_id')) },
      { status: 404, when: says(ApiErrors.notFound('message')) },
    ],
  },
  'templates.list': {
    summary: 'List templates',
    description: 'As they are published, newest first, without their bodies.',
    paginated: true,
    response: { status: 200, description: 'One page.', schema: TemplatePage },
  },
  'templates.create': {
    summary: 'Create a template',
    description: `Everything but the name goes into a draft, which \`publish\` makes the published copy. MJML is compiled
strictly, HTML is kept as it is, and the text is made from the HTML unless one is given. Images and stylesheets need a full
\`https://\` URL or one that begins with a \`{{ variable }}\`.`,
    body: CreateTemplateBody,
    example: {
      name: 'Login code',
      subject: 'Your code {{ code }}',
      preheader: 'Valid 10 minutes',
      from: { email: 'no-reply@shop.example.com', name: 'Shop' },
      content: { html: '<p>Hi {{ first_name|default("there") }}, code <b>{{ code }}</b></p>' },
      publish: true,
    },
    response: template(201, 'The new template, as it is published.'),
    apiErrors: [badTemplate, nothingToPublish],
  },
  'templates.get': {
    summary: 'Get a template',
    response: template(200, 'The published copy.'),
    apiErrors: [noTemplate],
  },
  'templates.update': {
    summary: 'Change a template',
    description: `Fields that are left out stay as they are in the draft, or else in the published copy. The name changes
at once, everything else in the draft. A design that is sent back as it is stored is not compiled again; a new one has its
text made again, unless one is given with it.`,
    body: UpdateTemplateBody,
    example: { subject: 'Your code is {{ code }}', publish: true },
    response: template(200, 'The published copy; `has_draft` says whether there is more.'),
    apiErrors: [
      { status: 400, when: '`no changes given`' },
      badTemplate,
      nothingToPublish,
      noTemplate,
      changedMeanwhile,
    ],
  },
  'templates.delete': {
    summary: 'Delete a template',
    description: 'Sends of it are refused from now on. Messages keep its id.',
    response: {
      status: 200,
      description: 'It is deleted.',
      schema: MessageResponse,
      example: { message: 'template deleted successfully' },
    },
    apiErrors: [noTemplate],
  },
  'templates.get-draft': {
    summary: 'Get the draft of a template',
    response: { status: 200, description: 'What is not published yet.', schema: TemplateDraftResource },
    apiErrors: [noTemplate, { status: 404, when: '`template has no draft`' }],
  },
  'templates.discard-draft': {
    summary: 'Discard the draft of a template',
    description: 'Without a draft nothing happens.',
    response: template(200, 'The published copy.'),
    apiErrors: [noTemplate, changedMeanwhile],
  },
  'templates.publish': {
    summary: 'Publish the draft of a template',
    description: `The whole draft becomes the published copy and a new version. Without a draft nothing happens. A body
is ignored.`,
    response: template(200, 'The published copy.'),
    apiErrors: [nothingToPublish, noTemplate, changedMeanwhile],
  },
  'templates.preview': {
    summary: 'Preview a template',
    description: `Renders the message to one recipient, of the draft where there is one; nothing is sent or stored. A part that cannot
be rendered is left out and named in \`issues\`, as are required variables without a value. Links to unsubscribe are those of a test.`,
    body: TemplatePreviewBody,
    bodyOptional: true,
    example: { substitutions: { first_name: 'Ann', code: '991' } },
    response: { status: 200, description: 'The message.', schema: MessagePreview },
    apiErrors: [{ status: 400, when: '`published` is true and nothing is published.' }, noTemplate],
  },
  'templates.list-versions': {
    summary: 'List the versions of a template',
    description: 'The 50 newest are kept. Newest first.',
    response: { status: 200, description: 'All that are kept.', schema: TemplateVersionList },
    apiErrors: [noTemplate],
  },
  'templates.get-version': {
    summary: 'Get a version of a template',
    response: { status: 200, description: 'The version with its body.', schema: TemplateVersionDetail },
    apiErrors: [noTemplate, noVersion],
  },
  'templates.restore-version': {
    summary: 'Restore a version of a template',
    description: 'It replaces the draft; with `publish` it is published, too.',
    body: RestoreBody,
    bodyOptional: true,
    example: { publish: true },
    response: template(200, 'The published copy.'),
    apiErrors: [nothingToPublish, noTemplate, noVersion, changedMeanwhile],
  },
  'suppressions.list': {
    summary: 'List suppressions',
    description: 'Those that still block, newest first. Expired ones are left out.',
    query: ListSuppressionsQuery,
    paginated: true,
    response: { status: 200, description: 'One page.', schema: SuppressionPage },
    apiErrors: [
      { status: 400, when: 'A time or the address is malformed, or `from_time` is after `to_time`.' },
      { status: 404, when: `${says(ApiErrors.notFound('domain'))}: the account does not have it` },
    ],
  },
  'suppressions.create': {
    summary: 'Suppress an address',
    description: `For one domain, or without \`domain\` for each that the account has now: one suppression per domain, and those
created are answered. Messages from these domains to the address then end as \`Suppressed\`, those that wait included.`,
    body: CreateSuppressionBody,
    example: {
      email: 'ann@mail.example.com',
      expires_at: '2036-01-01T00:00:00Z',
      domain: 'shop.example.com',
      reason: 'Asked on the phone',
    },
    response: { status: 201, description: 'The suppressions created.', schema: SuppressionList },
    apiErrors: [
      { status: 400, when: `${says(noSuchDomain('shop.example.com'))}: the account does not have it` },
      { status: 400, when: says(noDomains()) },
      { status: 409, when: `${says(alreadySuppressed())}, for the domain or for all of them` },
    ],
  },
  'suppressions.delete': {
    summary: 'Lift the suppressions of an address',
    description: 'Of one domain, or without `domain` of all of them; protected ones, too.',
    query: DeleteSuppressionQuery,
    response: {
      status: 200,
      description: 'They are gone.',
      schema: MessageResponse,
      example: { message: 'suppression deleted successfully' },
    },
    apiErrors: [
      { status: 400, when: '`email is required`' },
      { status: 404, when: `${says(ApiErrors.notFound('domain'))}: the account does not have it` },
      { status: 404, when: says(ApiErrors.notFound('suppression')) },
    ],
  },
  'suppressions.wipe': {
    summary: 'Lift all suppressions',
    description: `Of one domain, or without \`domain\` of all of them, except protected ones; the message says how many these are.
The response comes when all are gone: for a million, allow some minutes. Those that are created meanwhile stay.`,
    query: WipeSuppressionsQuery,
    response: {
      status: 200,
      description: 'They are gone.',
      schema: MessageResponse,
      example: { message: 'suppressions deleted, 2 protected suppressions kept' },
    },
    apiErrors: [{ status: 404, when: `${says(ApiErrors.notFound('domain'))}: the account does not have it` }],
  },
  'statistics.deliverability': {
    ...STATISTICS,
    summary: 'Count what became of messages',
    description: `${STATISTICS.description}

Opens and clicks are counted where they are tracked. While the account does not (\`track_opens\`, \`track_clicks\`), a header
\`Postmesh-Notice\` says so.`,
    response: {
      status: 200,
      description: 'Every bucket of the range, ascending.',
      schema: DeliverabilityResponse,
    },
  },
  'statistics.bounce': {
    ...STATISTICS,
    summary: 'Count bounces by kind',
    response: { status: 200, description: 'Every bucket of the range, ascending.', schema: BounceResponse },
  },
  'statistics.delivery-time': {
    ...STATISTICS,
    summary: 'Measure how long deliveries took',
    description: `${STATISTICS.description}

All buckets together list up to 100,000 recipient domains, those with most messages in each; averages and counts are of all.`,
    response: {
      status: 200,
      description: 'Every bucket of the range, ascending.',
      schema: DeliveryTimeResponse,
    },
  },
};

/** Operations of the console in this service (decision 116). */
export const CONSOLE_DOCUMENT: ServiceDocument = {
  'message-search.list': {
    summary: 'Search messages of all kinds',
    description:
      'Sends, messages of campaigns and inbound mail, newest first; all filters must match. A request looks at a bounded number of messages where no index helps: for a part of an address, and in campaigns. Its page then ends early, and the next one continues.',
    query: SearchMessagesQuery,
    paginated: true,
    response: { status: 200, description: 'One page of messages.', schema: FoundMessagePage },
    apiErrors: [{ status: 400, when: 'A filter is invalid.' }],
  },
  ...TEMPLATE_BLOCKS_DOCUMENT,
  'statistics-overview.get': {
    summary: 'Get the figures of the last 24 hours, 7 days and 30 days',
    description:
      'Of all messages of the account, those of campaigns included; a minute old at most. Each period begins with a whole hour.',
    response: { status: 200, description: 'The figures.', schema: StatisticsOverview },
  },
  ...STATISTICS_GROUPS_DOCUMENT,
};
