import { ApiErrors, MessageResponse, type ServiceDocument } from '@postmesh/contracts';
import { ConversationBody } from './accept/conversation.schema.js';
import { SendResponse } from './accept/send-result.js';
import { MessageResource } from './read-message/message.resource.js';
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
} from './statistics/statistics.resource.js';
import {
  CreateTemplateBody,
  RestoreBody,
  TemplateDraftResource,
  TemplatePage,
  TemplateResource,
  TemplateVersionDetail,
  TemplateVersionList,
  UpdateTemplateBody,
} from './templates/template.schema.js';
import { monthlyLimitReached } from './usage/usage.rules.js';

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
      when: `${says(ApiErrors.invalidParameter('group_by'))}, \`time range is too large for group_by\``,
    },
    { status: 400, when: '`invalid sender_domain: <domain>`: it is not one of the account' },
    {
      status: 403,
      when: `${says(ApiErrors.missingDomainScope('read', 'statistics'))}: also for one of several domains`,
    },
  ],
} as const;

/** What the API document says about the operations of this service (spec 2-messages §1.3, §2.2; spec 1-platform §14.2). */
export const API_DOCUMENT: ServiceDocument = {
  'messages.send-conversation': {
    summary: 'Send a message whose recipients see each other',
    description: `One message with all of \`to\` and \`cc\` in its headers; \`bcc\` stays unseen. At most 50 recipients in all; an
address that is named twice gets it once. Each recipient has a message of their own, and all of them share one
Message-ID. The response comes after everything is stored.

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
    apiErrors: [
      {
        status: 400,
        when: 'The domain of `from` is not one of the account, or its DNS records are not valid.',
      },
      { status: 400, when: 'The finished message is larger than 20 MiB.' },
      { status: 403, when: says(ApiErrors.sendScope('example.com')) },
      { status: 403, when: says(ApiErrors.accountSuspended()) },
      { status: 403, when: 'Sending from the domain is paused; to the sandbox it is not.' },
      { status: 403, when: `${says(monthlyLimitReached())}: the request as a whole would pass it` },
    ],
  },
  'messages.get': {
    summary: 'Get a message',
    description: `By its id or by its Message-ID, with or without angle brackets. Of a Message-ID that several recipients share,
the message of the first one is answered. \`content\` and \`content_parsed\` are there as long as the content is kept.`,
    scopeFamily: 'messages:read',
    response: { status: 200, description: 'The message.', schema: MessageResource },
    apiErrors: [
      { status: 400, when: says(ApiErrors.invalidParameter('message_id')) },
      { status: 404, when: `${says(ApiErrors.notFound('message'))}, also when it is no longer kept` },
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
    response: { status: 200, description: 'It is deleted.', schema: MessageResponse },
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
    description: `The whole draft becomes the published copy and a new version. Without a draft nothing happens. A body that
is sent is not looked at.`,
    response: template(200, 'The published copy.'),
    apiErrors: [nothingToPublish, noTemplate, changedMeanwhile],
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
    response: { status: 200, description: 'They are gone.', schema: MessageResponse },
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
    response: { status: 200, description: 'They are gone.', schema: MessageResponse },
    apiErrors: [{ status: 404, when: `${says(ApiErrors.notFound('domain'))}: the account does not have it` }],
  },
  'statistics.deliverability': {
    ...STATISTICS,
    summary: 'Count what became of messages',
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
