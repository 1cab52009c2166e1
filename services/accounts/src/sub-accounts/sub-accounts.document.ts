import { MessageResponse, ApiErrors, type ServiceDocument } from '@postmesh/contracts';
import {
  ApiKeyPage,
  ApiKeyResource,
  CreateApiKeyBody,
  CreatedApiKey,
  UpdateApiKeyBody,
} from '../api-keys/api-key.schema.js';
import { PAUSED_BY_OPERATOR } from './sub-account-changes.rules.js';
import {
  CreateSubAccountBody,
  SubAccountPage,
  SubAccountResource,
  SubAccountUsage,
  SuspendSubAccountBody,
  UpdateSubAccountBody,
} from './sub-account.schema.js';

const says = (apiError: { message: string }): string => `\`${apiError.message}\``;

const noChild = { status: 404, when: says(ApiErrors.notFound('sub account')) } as const;
const noKey = { status: 404, when: says(ApiErrors.notFound('api key')) } as const;
const notGrantable = {
  status: 400,
  when: 'A scope that no key of the sub-account may have, or an entry of `ip_allow_list` that is none.',
} as const;
const nothingGiven = { status: 400, when: says(ApiErrors.nothingGiven()) } as const;
const nothingChanges = { status: 400, when: says(ApiErrors.nothingChanges()) } as const;

const CHILD = { status: 200, description: 'The sub-account.', schema: SubAccountResource } as const;
const KEY = { status: 200, description: 'The key.', schema: ApiKeyResource } as const;

/** Spec 1-platform §10.3, §10.5. */
const SUB_ACCOUNTS: ServiceDocument = {
  'sub-accounts.list': {
    summary: 'List sub-accounts',
    paginated: true,
    response: { status: 200, description: 'One page of sub-accounts.', schema: SubAccountPage },
  },
  'sub-accounts.create': {
    summary: 'Create a sub-account',
    description:
      'A full account: with domains, keys, webhooks and limits of its own. A key of it uses its id as `account_id` everywhere else.',
    body: CreateSubAccountBody,
    example: { name: 'Acme Subsidiary', website: 'acme.example.com', monthly_credit: 10_000 },
    response: { ...CHILD, status: 201, description: 'The new sub-account.' },
  },
  'sub-accounts.usage': {
    summary: 'Get the usage of the current month',
    description:
      'Who sent how much, and how the pooled cost is shared: in proportion, rounded to cents so that the parts sum to the total. What deleted sub-accounts used stays in the total.',
    response: { status: 200, description: 'The usage so far.', schema: SubAccountUsage },
  },
  'sub-accounts.get': { summary: 'Get a sub-account', response: CHILD, apiErrors: [noChild] },
  'sub-accounts.update': {
    summary: 'Change a sub-account',
    description: 'A new `monthly_credit` counts in the next request, also one below what was sent already.',
    body: UpdateSubAccountBody,
    example: { monthly_credit: 20_000 },
    response: CHILD,
    apiErrors: [nothingGiven, nothingChanges, noChild],
  },
  'sub-accounts.delete': {
    summary: 'Delete a sub-account',
    description:
      'Its keys are refused at once, what it has not sent is canceled, its webhooks stop and its domains are free for others. Its usage of the month stays in yours.',
    response: {
      status: 200,
      description: 'It is deleted.',
      schema: MessageResponse,
      example: { message: 'sub account deleted' },
    },
    apiErrors: [noChild],
  },
  'sub-accounts.suspend': {
    summary: 'Suspend a sub-account',
    description:
      'It may not send, and what it has not sent waits; everything else works. Of one that is suspended already nothing changes, the first reason stays.',
    body: SuspendSubAccountBody,
    example: { reason: 'Unpaid invoice' },
    response: CHILD,
    apiErrors: [noChild],
  },
  'sub-accounts.unsuspend': {
    summary: 'End the suspension of a sub-account',
    description: 'One that is not suspended is answered as it is.',
    response: CHILD,
    apiErrors: [{ status: 403, when: says(PAUSED_BY_OPERATOR()) }, noChild],
  },
};

/** Spec 1-platform §10.3 with the rules of §9. */
const SUB_ACCOUNT_API_KEYS: ServiceDocument = {
  'sub-account-api-keys.list': {
    summary: 'List the API keys of a sub-account',
    paginated: true,
    response: { status: 200, description: 'One page of keys, without secrets.', schema: ApiKeyPage },
    apiErrors: [noChild],
  },
  'sub-account-api-keys.create': {
    summary: 'Create an API key for a sub-account',
    description:
      'The answer is the only one that shows `secret_key`; with an `Idempotency-Key` it can be had again for five minutes. Domain scopes name domains of the sub-account.',
    body: CreateApiKeyBody,
    example: { label: 'Production', scopes: ['messages:send:all', 'domains:read'] },
    response: { status: 201, description: 'The new key with its secret.', schema: CreatedApiKey },
    apiErrors: [notGrantable, noChild],
  },
  'sub-account-api-keys.get': {
    summary: 'Get an API key of a sub-account',
    response: KEY,
    apiErrors: [noChild, noKey],
  },
  'sub-account-api-keys.update': {
    summary: 'Change an API key of a sub-account',
    description: '`scopes` and `ip_allow_list` replace what was there. The next request meets the new key.',
    body: UpdateApiKeyBody,
    example: { scopes: ['messages:send:all'] },
    response: KEY,
    apiErrors: [notGrantable, nothingGiven, nothingChanges, noChild, noKey],
  },
  'sub-account-api-keys.delete': {
    summary: 'Delete an API key of a sub-account',
    description: 'Its next request is refused. Messages that it sent are still delivered.',
    response: {
      status: 200,
      description: 'It is deleted.',
      schema: MessageResponse,
      example: { message: 'api key 0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0 (Production) deleted successfully' },
    },
    apiErrors: [noChild, noKey],
  },
};

export const SUB_ACCOUNTS_DOCUMENT: ServiceDocument = { ...SUB_ACCOUNTS, ...SUB_ACCOUNT_API_KEYS };
