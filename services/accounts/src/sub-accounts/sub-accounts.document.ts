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
  when: 'A scope that no key of the sub-account may have, or an invalid entry of `ip_allow_list`.',
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
      'A full account with its own domains, keys, webhooks and limits. Its keys use its id as `account_id` in all other operations.',
    body: CreateSubAccountBody,
    example: { name: 'Acme Subsidiary', website: 'acme.example.com', monthly_credit: 10_000 },
    response: { ...CHILD, status: 201, description: 'The new sub-account.' },
  },
  'sub-accounts.usage': {
    summary: 'Get the usage of the current month',
    description:
      'The usage of each account and its share of the pooled cost: in proportion, rounded to cents so that the shares sum to the total. The total includes the usage of deleted sub-accounts.',
    response: { status: 200, description: 'The usage so far.', schema: SubAccountUsage },
  },
  'sub-accounts.get': { summary: 'Get a sub-account', response: CHILD, apiErrors: [noChild] },
  'sub-accounts.update': {
    summary: 'Change a sub-account',
    description:
      'A new `monthly_credit` applies to the next request, also when it is below the present usage.',
    body: UpdateSubAccountBody,
    example: { monthly_credit: 20_000 },
    response: CHILD,
    apiErrors: [nothingGiven, nothingChanges, noChild],
  },
  'sub-accounts.delete': {
    summary: 'Delete a sub-account',
    description:
      'Its keys are refused at once, its unsent messages are canceled, its webhooks stop, and other accounts can add its domains. Your usage of the month includes its usage.',
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
      'It may not send, and its unsent messages wait; all other operations work. A sub-account that is already suspended stays as it is, with its first reason.',
    body: SuspendSubAccountBody,
    example: { reason: 'Unpaid invoice' },
    response: CHILD,
    apiErrors: [noChild],
  },
  'sub-accounts.unsuspend': {
    summary: 'End the suspension of a sub-account',
    description: 'A sub-account that is not suspended is returned unchanged.',
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
      'The only response with `secret_key`; a repeated request with the same `Idempotency-Key` gets it again for five minutes. Domain scopes name domains of the sub-account.',
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
    description:
      '`scopes` and `ip_allow_list` replace the stored ones. The change applies to the next request with the key.',
    body: UpdateApiKeyBody,
    example: { scopes: ['messages:send:all'] },
    response: KEY,
    apiErrors: [notGrantable, nothingGiven, nothingChanges, noChild, noKey],
  },
  'sub-account-api-keys.delete': {
    summary: 'Delete an API key of a sub-account',
    description: 'The next request with the key is refused. Messages that it has sent are still delivered.',
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
