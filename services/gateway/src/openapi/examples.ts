import type { JsonSchema } from './open-api.js';

/** Example values of response fields by name. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  about: 'We sell shoes.',
  account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
  allocation_note: '',
  avg_delivery_time: 1.4,
  bounce_classification: '',
  bounced: 1,
  bounces: [{ classification: 'InvalidRecipient', count: 2 }],
  classification: 'InvalidRecipient',
  clicked: 41,
  clicks: 57,
  contact_count: 1204,
  content: 'orders.eds._domainkey.shop.example.com',
  count: 2,
  created: 1,
  cost: 0,
  currency: 'usd',
  complained_at: null,
  delivered: 118,
  delivered_count: 118,
  delivery_time: 1.4,
  description: 'Monthly release notes',
  dkim_selector: null,
  dns_valid: true,
  domain: 'shop.example.com',
  domain_count: 1,
  domains: ['shop.example.com'],
  email: 'ann@mail.example.com',
  enabled: true,
  error_count: 0,
  first_name: 'Ann',
  finished_at: null,
  from: { email: 'news@shop.example.com', name: 'Shop' },
  has_more: false,
  headers: { Subject: ['Your order'] },
  host: 'eds1._domainkey.shop.example.com',
  html: '<p>Hello {{ first_name }}</p>',
  ip_allow_list: ['203.0.113.0/24'],
  label: 'Production',
  last_name: 'Example',
  last_validated_at: null,
  log: '250 2.0.0 queued as 7F1',
  message_id: '<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.example.com>',
  message_id_header: '<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.example.com>',
  mjml: '<mjml><mj-body></mj-body></mjml>',
  name: 'Product updates',
  note: '',
  opened: 80,
  opens: 102,
  password: 'k3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmIk3Yp9QxV',
  pause_reason: null,
  paused_at: null,
  preheader: 'News of March',
  propagated: true,
  provider: 'google',
  public_key: 'eds-pk-k3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmI',
  ready: true,
  reason: '',
  recipient: 'ann@mail.example.com',
  recipient_domain: 'mail.example.com',
  reply_to: null,
  required: true,
  scope: 'messages:send:{shop.example.com}',
  secret: 'eds-whsec-k3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmIk3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmI',
  secret_key: 'eds-sk-k3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmIk3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmI',
  send_at: null,
  send_resumes_at: null,
  sender: 'orders@shop.example.com',
  size: 2411,
  status: 'Delivered',
  status_reason: '',
  subject: 'Your order',
  tags: ['receipt'],
  text: 'Hello {{ first_name }}',
  type: 'TXT',
  unsubscribed_at: null,
  url: 'https://hooks.example.com/mail',
  username: 'smtp-k3yp9qxv2btzr7nlw0ch',
  website: 'shop.example.com',
};

const MESSAGE_ID = '<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.example.com>';
const OF_A_MESSAGE = {
  direction: 'outbound',
  delivery_attempts: [{ time: '2026-03-01T09:00:01Z', log: '250 2.0.0 queued as 7F1', status: 'Delivery' }],
  sent_at: '2026-03-01T09:00:00Z',
  delivered_at: '2026-03-01T09:00:01Z',
  retain_until: '2026-03-08T09:00:00Z',
  status: 'Delivered',
  num_attempts: 1,
};
const OF_A_ROUTE = { name: 'Support', recipient: 'support@shop.example.com' };
const OF_A_WEBHOOK = { name: 'Bounces', on_bounced: true, scope: 'global', domains: [] };
const OF_A_CREDENTIAL = { name: 'Shop', scope: 'global', domains: [] };
const OF_A_SUB_ACCOUNT = { name: 'Acme', website: 'acme.example.com' };
const OF_A_CAMPAIGN = { name: 'Spring sale', subject: 'Spring is here', status_reason: null };
const OF_A_BUCKET = { from_timestamp: '2026-03-01T00:00:00Z', to_timestamp: '2026-03-02T00:00:00Z' };

/** Example values that differ in one resource, by the name of its component. */
const BY_RESOURCE: Readonly<Record<string, object>> = {
  SignUpForm: {
    name: 'Footer of the shop',
    list_name: 'Product updates',
    is_open: true,
    fields: ['first_name'],
    texts: {
      title: 'News of the shop',
      intro: 'Once a month.',
      button: 'Sign up',
      consent: 'I want news of the shop by email.',
      thanks: 'Please look into your mailbox.',
      confirmed: 'You are on the list.',
      mail_subject: 'Please confirm your address',
      mail_text: 'Do you want our news?',
      mail_button: 'Yes, confirm',
    },
    text_version: 1,
    accent: '#1d4fc4',
    from: { email: 'news@shop.example.com', name: 'Shop' },
    welcome: null,
    url: 'https://news.shop.example.com/f/AaIliOzbv5Kw7KZKxr',
    waiting: 3,
    confirmed: 41,
  },
  PublicList: { is_public: true, title: 'Product news' },
  Consent: {
    seq: 1,
    list_name: 'Product updates',
    action: 'granted',
    way: 'form',
    form_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a02',
    text_version: 1,
    text: 'I want news of the shop by email.',
    text_digest: 'c2d0…',
    ip: '203.0.113.9',
    salt: '7f1e…',
    details_digest: '5a9b…',
    status: 'confirmed',
    hash: '0e4c…',
  },
  Account: {
    parent_account_id: null,
    name: 'Example Corp',
    message_metadata_retention: 7,
    message_data_retention: 7,
  },
  AddedContacts: { added: 1 },
  AuditEntry: {
    actor: { type: 'member', id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a02', name: 'ann@mail.example.com' },
    action: 'api-key.delete',
    subject_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a03',
    details: { label: 'Production' },
    seq: 812,
    hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  },
  BounceBucket: OF_A_BUCKET,
  Campaign: { ...OF_A_CAMPAIGN, issues: [] },
  CampaignListItem: OF_A_CAMPAIGN,
  CampaignRecipient: {
    status: 'delivered',
    status_reason: null,
    opened_at: null,
    clicked_at: null,
    delivered_at: '2026-03-01T09:00:01Z',
  },
  CampaignStats: { recipients: 120, failed: 1 },
  CampaignTestResult: { id: MESSAGE_ID, recipient: { email: 'ann@mail.example.com', name: '' } },
  DeliverabilityBucket: {
    ...OF_A_BUCKET,
    reception_count: 120,
    bounced_count: 1,
    failed_count: 1,
    opened_count: 80,
    clicked_count: 41,
  },
  DeliveryTimeBucket: OF_A_BUCKET,
  DnsRecord: { label: 'DKIM', type: 'CNAME' },
  Domain: { dkim_rotation_interval_days: null, dsn_recipient: null },
  Issue: { code: 'subject_missing', message: 'the campaign has no subject' },
  ListContact: { subscription_status: 'confirmed' },
  ListMember: { subscription_status: 'confirmed' },
  ContactListMembership: { subscription_status: 'confirmed' },
  MemberAccount: { name: 'Example Corp', parent_account_id: null, roles: ['Developer'] },
  MessagePreview: { subject: 'Your order', text: 'Hello Ann', html: '<p>Hello Ann</p>', issues: [] },
  MessageAttempts: {
    wait: null,
    data: [
      {
        started_at: '2026-03-01T09:00:00Z',
        finished_at: '2026-03-01T09:00:01Z',
        status: 'Delivery',
        log: '250 2.0.0 OK',
        classification: null,
        host: 'mx.mail.example.com',
        address: '192.0.2.25',
        tls: {
          encrypted: true,
          protocol: 'TLSv1.3',
          cipher: 'TLS_AES_256_GCM_SHA384',
          verdict: 'pkix',
          policy: 'none',
        },
        uncertain: false,
        next_attempt_at: null,
        check: null,
      },
    ],
  },
  MessageRecord: OF_A_MESSAGE,
  MessageSummary: OF_A_MESSAGE,
  FoundMessage: { ...OF_A_MESSAGE, campaign_id: null },
  NewRoute: { ...OF_A_ROUTE, secret: 'eds-rsec-k3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmI' },
  NewSmtpCredential: OF_A_CREDENTIAL,
  NewWebhook: OF_A_WEBHOOK,
  OpenSession: {
    client_ip: '192.0.2.7',
    device: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/150.0',
    current: true,
  },
  RequestLogEntry: {
    protocol: 'http',
    method: 'GET',
    operation: 'messages.list',
    path_template: '/v2/accounts/{account_id}/messages',
    path: '/v2/accounts/0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0/messages?limit=…',
    status: 400,
    message: 'limit must be between 1 and 100',
    key: { type: 'api_key', id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a03', name: 'Production' },
    request_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01',
    client_ip: '192.0.2.7',
    user_agent: 'python-httpx/1.0',
    duration_ms: 3,
  },
  RequestLogPage: { kept_days: 7, left_out: [{ day: '2026-03-01', count: 120 }] },
  Role: {
    role: 'Billing Manager',
    summary: 'Reads the account and its usage, and manages billing.',
    scopes: ['accounts:read', 'accounts:billing'],
  },
  Route: OF_A_ROUTE,
  SendResult: { id: MESSAGE_ID, recipient: { email: 'ann@mail.example.com', name: 'Ann' } },
  SendingState: {
    credits: [{ pool: false, limit: 10_000, used: 8_200, until: '2026-04-01T00:00:00Z' }],
    waits: [
      {
        kind: 'suspended',
        by: 'Google',
        destinations: ['gmail.com'],
        messages: 120,
        share: 0.4,
        since: '2026-03-01T09:00:00Z',
        until: '2026-03-01T09:10:00Z',
        per_second: null,
        reason: 'Google slowed down 192.0.2.10 (421 4.7.28, IP address): nothing before 09:10 UTC',
      },
    ],
    complete: true,
  },
  Session: {
    member: { user_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a02', email: 'ann@mail.example.com', name: 'Ann' },
    account: {
      id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0',
      name: 'Example Corp',
      parent_account_id: null,
      status: 'active',
    },
    roles: ['Developer'],
    scopes: ['messages:send:all', 'domains:read'],
    contents: true,
  },
  SmtpCredential: OF_A_CREDENTIAL,
  SubAccount: OF_A_SUB_ACCOUNT,
  SubAccountUsage: {
    billing_period: { start: '2026-03-01T00:00:00Z', end: '2026-04-01T00:00:00Z' },
  },
  ListedSuppression: {
    reason: 'Too many hard bounces',
    expires_at: '2026-03-31T09:00:00Z',
    source: 'automatic',
    message_id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01',
  },
  Suppression: { reason: 'Too many hard bounces', expires_at: '2026-03-31T09:00:00Z' },
  TemplateContent: {
    html: '<p>Hello {{ first_name }}</p>',
    text: 'Hello {{ first_name }}',
    text_is_custom: false,
  },
  TemplateDraft: { issues: [] },
  DnsChanges: {
    object: 'dns_changes',
    domain: 'mail.example.com',
    zone: 'example.com',
    host: 'cloudflare',
    trouble: null,
    detail: null,
    digest: 'h3Zt0qL4yV8sN2mXcB7dKw',
    written: 0,
    records: [
      {
        label: 'SPF',
        type: 'TXT',
        host: 'mail.example.com',
        content: 'v=spf1 include:_spf.example.net include:spf.mail.example.org ~all',
        step: 'merged',
        found: ['"v=spf1 include:_spf.example.net ~all"'],
        reason: null,
      },
    ],
  },
  DnsHost: {
    object: 'dns_host',
    id: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01',
    created_at: '2026-03-01T09:00:00Z',
    zone: 'example.com',
    host: 'route53',
    access_key_id: 'AKIAIOSFODNN7EXAMPLE',
    allow_rotation: true,
    rotation_problem: null,
  },
  TemplateVariable: { name: 'first_name' },
  Webhook: OF_A_WEBHOOK,
};

const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-03-01T09:00:00Z',
  email: 'ann@mail.example.com',
  'idn-email': 'ann@mail.example.com',
  uri: 'https://hooks.example.com/mail',
  uuid: '01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01',
};

type Components = Readonly<Record<string, JsonSchema>>;

/**
 * An example of a schema: its own, one by the field's name where the type fits, one by the format, else composed of the
 * examples of its parts. Optional fields are left out.
 * @throws Error that names a field without an example
 */
export function exampleOf(schema: JsonSchema, components: Components): unknown {
  return valueOf(schema, 'the response');

  function valueOf(given: JsonSchema, name: string): unknown {
    const part = resolved(given, components);
    for (const known of ownExamples(part)) if (known !== undefined) return known;
    if (Object.hasOwn(BY_NAME, name) && isOfType(part, BY_NAME[name])) return BY_NAME[name];
    const {
      properties,
      required = [],
      items,
      anyOf,
      format,
    } = part as {
      properties?: Record<string, JsonSchema>;
      required?: string[];
      items?: JsonSchema;
      anyOf?: JsonSchema[];
      format?: string;
    };
    if (anyOf?.[0]) return valueOf(anyOf[0], name);
    const fields = Object.entries(properties ?? {}).filter(([field]) => required.includes(field));
    if (properties) {
      const own = BY_RESOURCE[componentOf(given)];
      const made = fields
        .filter(([field]) => !own || !Object.hasOwn(own, field))
        .map(([field, child]) => [field, valueOf(child, field)]);
      const values = { ...Object.fromEntries(made), ...own };
      return Object.fromEntries(
        Object.keys(properties).flatMap((field) => (field in values ? [[field, values[field]]] : [])),
      );
    }
    if (items) return [valueOf(items, name)];
    return plainValueOf(part, name, format);
  }
}

/** A name means different things in different resources. */
function isOfType({ type, anyOf }: JsonSchema, value: unknown): boolean {
  if (Array.isArray(anyOf)) return anyOf.some((one: JsonSchema) => isOfType(one, value));
  return [type].flat().includes(typeOf(value)) || (type === 'integer' && Number.isInteger(value));
}

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

const ownExamples = (schema: JsonSchema): unknown[] => {
  const {
    example,
    examples,
    const: only,
    enum: values,
  } = schema as {
    example?: unknown;
    examples?: unknown[];
    const?: unknown;
    enum?: unknown[];
  };
  return [example, examples?.[0], only, values?.[0]];
};

function plainValueOf({ type, minimum }: JsonSchema, name: string, format: string | undefined): unknown {
  const types = [type].flat();
  if (types.includes('boolean')) return false;
  if (types.includes('integer') || types.includes('number')) return Math.max(0, Number(minimum ?? 0));
  if (types.includes('object')) return {};
  if (types.includes('string') && format !== undefined && BY_FORMAT[format]) return BY_FORMAT[format];
  if (types.includes('null')) return null;
  throw new Error(`examples.ts has none for the field ${name}`);
}

/** The name of the component that a schema refers to, `''` without a reference. */
const componentOf = ({ $ref }: JsonSchema): string =>
  typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : '';

function resolved(schema: JsonSchema, components: Components): JsonSchema {
  if (typeof schema['$ref'] !== 'string') return schema;
  const component = components[componentOf(schema)];
  if (!component) throw new Error(`${schema['$ref']} leads nowhere`);
  return resolved(component, components);
}
