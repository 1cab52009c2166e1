import { MAX_LIMIT } from '@postmesh/http';
import type { OperationDocument, OperationSpec } from '@postmesh/contracts';
import type { JsonSchema, Parameter, Reference } from './open-api.js';
import type { SchemaComponents } from './schema-components.js';

const UUID: JsonSchema = { type: 'string', format: 'uuid' };
const text = (more: JsonSchema = {}): JsonSchema => ({ type: 'string', minLength: 1, ...more });

const path = (name: string, description: string, schema: JsonSchema): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
});

/** The left part of a Message-ID of ours is the id of the message. */
const MESSAGE_ID = '^<?[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(@[^@<>/]+)?>?$';

/** Path parameters that are more than the id of a record. */
const NAMED: Readonly<Record<string, Parameter>> = {
  account_id: path('account_id', 'The account. The key must belong to it.', UUID),
  domain: path('domain', 'Name of a domain of the account, in any spelling.', text({ maxLength: 253 })),
  id_or_email: path('id_or_email', 'A contact: its id, or its address, percent-encoded once.', text()),
  message_id: path(
    'message_id',
    'A message: its id, or its Message-ID, percent-encoded, with or without angle brackets.',
    text({ pattern: MESSAGE_ID }),
  ),
};

/** `{key_id}` is the id of a key. */
const idParameter = (name: string): Parameter =>
  path(name, `Id of the ${name.replace(/_id$/, '').replaceAll('_', ' ')}.`, UUID);

const query = (name: string, description: string, schema: JsonSchema): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
});

/** Spec 1-platform §1.3. */
const PAGINATION: readonly Parameter[] = [
  query('limit', 'Most items on the page.', {
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: MAX_LIMIT,
  }),
  query('after', '`pagination.next_cursor` of the page before. Not together with `before`.', text()),
  query('before', '`pagination.previous_cursor` of the page after. Not together with `after`.', text()),
];

/** Spec 1-platform §4.1. */
const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a retry safe: the first request with a key runs, the same request again gets the same response.',
  schema: { type: 'string', maxLength: 255 },
};

export const pathParameters = (spec: Pick<OperationSpec, 'path'>): string[] =>
  [...spec.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');

/** The parameters of all operations. Parameters of many operations are components, and operations refer to them. */
export class Parameters {
  private readonly components = new Map<string, Parameter>();

  constructor(private readonly schemas: SchemaComponents) {}

  of(spec: OperationSpec, document: OperationDocument): (Parameter | Reference)[] {
    return [
      ...pathParameters(spec).map((name) => this.share(NAMED[name] ?? idParameter(name))),
      ...(document.query ? this.queryOf(document.query) : []),
      ...(document.paginated ? PAGINATION.map((parameter) => this.share(parameter)) : []),
      ...(spec.idempotent === false ? [] : [this.share(IDEMPOTENCY_KEY)]),
    ];
  }

  all(): Record<string, Parameter> {
    return Object.fromEntries([...this.components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Adds a component and returns a reference to it. */
  share(parameter: Parameter): Reference {
    this.components.set(parameter.name, parameter);
    return { $ref: `#/components/parameters/${parameter.name}` };
  }

  private queryOf(schema: NonNullable<OperationDocument['query']>): Parameter[] {
    return Object.entries(schema.shape).map(([name, field]) => {
      const { description = '', ...described } = this.schemas.describe(field);
      const required = !field.safeParse(undefined).success;
      return { ...query(name, String(description), described), required };
    });
  }
}
