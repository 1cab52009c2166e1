import { createBlobStore } from '@postmesh/blob-store';
import {
  AccountId,
  ApiKeyId,
  IDEMPOTENCY_REGISTER,
  newId,
  ROLES,
  UserId,
  type AccountFacts,
  type MemberRole,
  type Principal,
  type ServiceName,
} from '@postmesh/contracts';
import { createEmbeddedBus, type EventBus } from '@postmesh/events';
import {
  OPERATOR_HEADER,
  PrincipalMinter,
  principalPrivateKey,
  SERVICE_TOKEN_HEADER,
  ServiceDirectory,
  serviceTokenKeys,
  ServiceTokens,
  type InternalRequest,
  type LocalService,
} from '@postmesh/http';
import { createJobs } from '@postmesh/work';
import { createLogger, Metrics, NO_TRACING } from '@postmesh/observability';
import {
  bodyRooms,
  Drain,
  migrateServices,
  startService,
  type HostContext,
  type RunningService,
  type ServiceDefinition,
} from '@postmesh/service-host';
import { loadSettings, type Settings } from '@postmesh/settings';
import { fillFromTemplate } from '@postmesh/testing';

const TEST_SECRET = 'a-secret-for-tests-that-is-long-enough';

interface TestCaller {
  account_id?: string;
  scopes?: readonly string[];
  account?: Partial<AccountFacts>;
  /** instead of all of these */
  principal?: Principal;
}

export interface TestRequest extends TestCaller {
  body?: unknown;
  /** sent as it is, instead of `body` as JSON */
  text?: string;
  headers?: Record<string, string>;
}

export interface TestResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** parsed JSON */
  body: any; // eslint-disable-line typescript/no-explicit-any
  text: string;
}

export interface TestService {
  readonly service: RunningService;
  readonly context: HostContext;
  readonly bus: EventBus;
  readonly accountId: string;
  /** calls an operation as the gateway would, with a principal; scopes are `*` unless given */
  call(method: InternalRequest['method'], path: string, request?: TestRequest): Promise<TestResponse>;
  /** calls an internal or operator route as another service would, on behalf of an operator if one is named */
  internal(
    method: InternalRequest['method'],
    path: string,
    body?: unknown,
    operator?: string,
  ): Promise<TestResponse>;
  stop(): Promise<void>;
}

export interface TestServiceOptions {
  databaseUrl: string;
  settings?: Partial<Settings>;
  /** closed with the service; left out: an embedded one */
  bus?: EventBus;
  /** true: its periodic tasks run. Else a test runs them itself, and meets no run but its own */
  periodic?: boolean;
  /** answers of the services that this one asks */
  neighbours?: Partial<Record<ServiceName, Respond>>;
}

interface Answer {
  status: number;
  body: unknown;
}
type Respond = (request: InternalRequest) => Answer | Promise<Answer>;

/** Starts a service with everything real but its neighbours. */
export async function startTestService(
  definition: ServiceDefinition,
  options: TestServiceOptions,
): Promise<TestService> {
  await fillFromTemplate(options.databaseUrl, nameOf(definition), (url) => migrate(definition, url));
  const context = await testContext(options);
  const service = await startService(definition, context);
  const accountId = newId();
  const local = context.directory.findLocal(definition.name);
  if (!local) throw new Error(`${definition.name} did not announce itself`);
  const minter = new PrincipalMinter(principalPrivateKey(context.settings));
  const tokens = new ServiceTokens(serviceTokenKeys(context.settings), 'gateway');
  const send = caller(local);
  return {
    service,
    context,
    bus: context.bus,
    accountId,
    call: (method, path, request = {}) => {
      const token = minter.mint(principalOf(request, accountId), definition.name);
      const headers = {
        'x-principal': token,
        'x-request-id': newId(),
        'x-client-ip': '127.0.0.1',
        ...(request.body === undefined && request.text === undefined
          ? {}
          : { 'content-type': 'application/json' }),
        ...request.headers,
      };
      const text = request.text ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
      return send(method, path, headers, text);
    },
    internal: (method, path, body, operator) => {
      const headers = {
        [SERVICE_TOKEN_HEADER]: tokens.make(definition.name),
        ...(operator === undefined ? {} : { [OPERATOR_HEADER]: operator }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      return send(method, path, headers, body === undefined ? undefined : JSON.stringify(body));
    },
    stop: async () => {
      await service.stop();
      await closeContext(context);
    },
  };
}

const nameOf = ({ name, database }: ServiceDefinition): string =>
  [name, ...(database?.migrations ?? []).map((migration) => migration.name)].join(' ');

/** All that a start would make in an empty database. */
async function migrate(definition: ServiceDefinition, databaseUrl: string): Promise<void> {
  const context = await testContext({ databaseUrl });
  await migrateServices([definition], context.settings, context.logger);
  await closeContext(context);
}

async function closeContext({ jobs, bus, blobs, directory }: HostContext): Promise<void> {
  await jobs?.close();
  await bus.close();
  await blobs.close();
  await directory.close();
}

async function testContext(options: TestServiceOptions): Promise<HostContext> {
  const settings: Settings = {
    ...loadSettings({}),
    logLevel: 'warn',
    databaseUrl: options.databaseUrl,
    secretKeys: [TEST_SECRET],
    databasePoolSize: 4,
    terminationGraceSeconds: 10,
    ...options.settings,
  };
  const logger = createLogger(settings, 'test');
  const directory = new ServiceDirectory({});
  const neighbours = { [IDEMPOTENCY_REGISTER]: unknownRoute, ...options.neighbours };
  for (const [name, respond] of Object.entries(neighbours)) {
    directory.addLocal(name as ServiceName, neighbour(respond));
  }
  return {
    settings,
    logger,
    metrics: new Metrics({ defaults: false }),
    bus: options.bus ?? (await createEmbeddedBus({ url: options.databaseUrl, logger, connections: 2 })),
    jobs:
      options.periodic === true
        ? await createJobs({ backend: { postgresUrl: options.databaseUrl }, prefix: 'test', logger })
        : undefined,
    blobs: await createBlobStore({ driver: 'postgres', url: options.databaseUrl, logger }),
    directory,
    tracing: NO_TRACING,
    bodyRooms: bodyRooms(settings),
    drain: new Drain(),
  };
}

const unknownRoute = () => ({ status: 404, body: { message: 'not found' } });

function neighbour(respond: Respond): LocalService {
  return {
    route: () => {
      throw new Error('a neighbour of a test takes internal requests only');
    },
    inject: async (request) => {
      const { status, body } = await respond(request);
      return { status, headers: {}, bytes: Buffer.from(JSON.stringify(body)) };
    },
  };
}

export const DEFAULT_ACCOUNT: AccountFacts = {
  status: 'active',
  platform_partner: true,
  track_opens: false,
  track_clicks: false,
  reject_bad_recipients: false,
  reject_mistyped_recipients: false,
  message_metadata_retention: 7,
  message_data_retention: 7,
  parent_account_id: null,
  monthly_credit: 0,
  credit_pool: null,
};

function principalOf(request: TestCaller, accountId: string): Principal {
  if (request.principal) return request.principal;
  return {
    account_id: AccountId.parse(request.account_id ?? accountId),
    key_id: ApiKeyId.parse(newId()),
    scopes: [...(request.scopes ?? ['*'])],
    account: { ...DEFAULT_ACCOUNT, ...request.account },
  };
}

/** The principal of a member in the console. */
export const memberOf = (account: string, role: MemberRole = 'Administrator'): Principal => ({
  account_id: AccountId.parse(account),
  key_id: ApiKeyId.parse(newId()),
  scopes: [...ROLES[role].scopes],
  account: DEFAULT_ACCOUNT,
  member: { user_id: UserId.parse(newId()), role },
});

function caller(local: LocalService) {
  return async (
    method: InternalRequest['method'],
    path: string,
    headers: Record<string, string>,
    text: string | undefined,
  ): Promise<TestResponse> => {
    const raw =
      text === undefined ? undefined : { bytes: Buffer.from(text), contentType: 'application/json' };
    const response = await local.inject({ method, path, headers, ...(raw ? { raw } : {}) });
    const answered = response.bytes.toString();
    return { status: response.status, headers: response.headers, body: parse(answered), text: answered };
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
