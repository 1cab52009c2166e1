import { MessageResponse, ApiErrors, type ServiceDocument } from '@postmesh/contracts';
import { AccountResource, UpdateAccountBody } from './account/account.schema.js';
import {
  ApiKeyPage,
  ApiKeyResource,
  CreateApiKeyBody,
  CreatedApiKey,
  UpdateApiKeyBody,
} from './api-keys/api-key.schema.js';
import { DUPLICATE_SCOPE, INVALID_SCOPE, SCOPE_DOMAIN_NOT_FOUND } from './api-keys/granted-scopes.rules.js';
import { SELF_LOCKOUT } from './api-keys/update-api-key.rules.js';
import { AddMemberBody, MemberList, MemberResource, UpdateMemberBody } from './members/member.schema.js';
import {
  AUDIT_DOCUMENT,
  OIDC_DOCUMENT,
  PASSKEYS_DOCUMENT,
  REQUEST_LOG_DOCUMENT,
  SES_CREDENTIALS_DOCUMENT,
  SESSIONS_DOCUMENT,
  SIGN_IN_DOCUMENT,
} from './console-document.js';
import { MemberErrors } from './members/member.rules.js';
import { SMTP_CREDENTIALS_DOCUMENT } from './smtp-credentials/smtp-credentials.document.js';
import { SUB_ACCOUNTS_DOCUMENT } from './sub-accounts/sub-accounts.document.js';

const says = (apiError: { message: string }): string => `\`${apiError.message}\``;
const notFound = (thing: string) => ({ status: 404, when: says(ApiErrors.notFound(thing)) }) as const;

const badScope = {
  status: 400,
  when: [INVALID_SCOPE('<scope>'), DUPLICATE_SCOPE('<scope>'), SCOPE_DOMAIN_NOT_FOUND('<scope>')]
    .map(says)
    .join(', '),
} as const;
const badAllowList = {
  status: 400,
  when: 'An entry of `ip_allow_list` that is no address or block, an entry that allows all addresses, or more than 100 entries.',
} as const;

const ACCOUNT: ServiceDocument = {
  'account.get': {
    summary: 'Get the account',
    response: { status: 200, description: 'The account of the key.', schema: AccountResource },
    apiErrors: [notFound('account')],
  },
  'account.update': {
    summary: 'Change the account',
    description:
      'Omitted and null fields keep their value; `{}` changes nothing. Defaults for tracking, recipient shields and retention apply to messages that are accepted afterwards.',
    body: UpdateAccountBody,
    example: { name: 'Example Corp', website: 'https://example.com', track_opens: true },
    response: { status: 200, description: 'The account after the change.', schema: AccountResource },
    apiErrors: [
      { status: 400, when: '`website must be a valid URL`: neither a domain nor an http(s) URL of one.' },
      notFound('account'),
    ],
  },
};

const MEMBERS: ServiceDocument = {
  'members.list': {
    summary: 'List members',
    description: 'All members with the owner, oldest first, without pages.',
    response: { status: 200, description: 'The members.', schema: MemberList },
  },
  'members.add': {
    summary: 'Add a member',
    description:
      'An address without a user gets one, and an invitation by mail; an existing user gets a notice. The membership is in effect at once. `name` is used for new users only.',
    body: AddMemberBody,
    example: { email: 'ann@example.com', role: 'Developer', name: 'Ann' },
    response: { status: 201, description: 'The new member.', schema: MemberResource },
    apiErrors: [
      { status: 400, when: '`email is not a valid email address`' },
      { status: 403, when: says(MemberErrors.tooManyToday()) },
      notFound('account'),
      { status: 409, when: says(MemberErrors.already()) },
      { status: 409, when: says(MemberErrors.tooMany()) },
    ],
  },
  'members.update': {
    summary: 'Give a member another role',
    body: UpdateMemberBody,
    example: { role: 'Analyst' },
    response: { status: 200, description: 'The member after the change.', schema: MemberResource },
    apiErrors: [notFound('member'), { status: 403, when: says(MemberErrors.ownersRole()) }],
  },
  'members.remove': {
    summary: 'Remove a member',
    description: 'A removed member can be added again.',
    response: {
      status: 200,
      description: 'They are a member no longer.',
      schema: MessageResponse,
      example: { message: 'member removed successfully' },
    },
    apiErrors: [
      notFound('member'),
      { status: 403, when: says(MemberErrors.ownerStays()) },
      { status: 403, when: `${says(MemberErrors.yourself())}: the user who made the calling key.` },
    ],
  },
};

const API_KEYS: ServiceDocument = {
  'api-keys.list': {
    summary: 'List API keys',
    description: 'Every key of the account, without secrets.',
    paginated: true,
    response: { status: 200, description: 'One page of keys.', schema: ApiKeyPage },
  },
  'api-keys.create': {
    summary: 'Create an API key',
    description:
      'The only response with `secret_key`; a repeated request with the same `Idempotency-Key` gets it again for five minutes. The owner and Administrators get a mail about a key with an IP allow list.',
    body: CreateApiKeyBody,
    example: {
      label: 'Production',
      scopes: ['messages:send:{example.com}', 'suppressions:read'],
      ip_allow_list: ['192.0.2.0/24'],
    },
    response: { status: 201, description: 'The new key with its secret.', schema: CreatedApiKey },
    apiErrors: [badScope, badAllowList, notFound('account')],
  },
  'api-keys.get': {
    summary: 'Get an API key',
    response: { status: 200, description: 'The key.', schema: ApiKeyResource },
    apiErrors: [notFound('api key')],
  },
  'api-keys.update': {
    summary: 'Change an API key',
    description:
      'Omitted and null fields keep their value. `scopes` and `ip_allow_list` replace the stored ones; an empty `ip_allow_list` lifts the restriction. The change applies to the next request with the key.',
    body: UpdateApiKeyBody,
    example: { scopes: ['messages:send:all'], ip_allow_list: [] },
    response: { status: 200, description: 'The key after the change.', schema: ApiKeyResource },
    apiErrors: [
      badScope,
      badAllowList,
      { status: 400, when: says(ApiErrors.nothingGiven()) },
      { status: 400, when: says(ApiErrors.nothingChanges()) },
      notFound('api key'),
      { status: 409, when: `${says(SELF_LOCKOUT())}: a key that changes its own allow list.` },
    ],
  },
  'api-keys.delete': {
    summary: 'Delete an API key',
    description:
      'The next request with the key is refused. A key may delete itself. Messages that it has sent are still delivered.',
    response: {
      status: 200,
      description: 'It is deleted.',
      schema: MessageResponse,
      example: { message: 'api key 0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0 (Production) deleted successfully' },
    },
    apiErrors: [notFound('api key')],
  },
};

/** Documents of the operations of this service (spec 1-platform §7-§10 and §12). */
export const API_DOCUMENT: ServiceDocument = {
  ...ACCOUNT,
  ...MEMBERS,
  ...API_KEYS,
  ...SMTP_CREDENTIALS_DOCUMENT,
  ...SUB_ACCOUNTS_DOCUMENT,
};

/** Documents of the operations of the console in this service (decision 116). */
export const CONSOLE_DOCUMENT: ServiceDocument = {
  ...SIGN_IN_DOCUMENT,
  ...SESSIONS_DOCUMENT,
  ...OIDC_DOCUMENT,
  ...PASSKEYS_DOCUMENT,
  ...AUDIT_DOCUMENT,
  ...REQUEST_LOG_DOCUMENT,
  ...SES_CREDENTIALS_DOCUMENT,
};
