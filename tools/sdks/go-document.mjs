// @ts-check
// The API document as the generator of Go needs it: OpenAPI 3.0 without unions, a name for each object, and what a method is
// called.

/** @typedef {Record<string, any>} Json */

/** Words of names that Go writes in capitals. */
const INITIALISMS = /(?:Api|Smtp|Dns|Html|Id|Ip|Url)(?=[A-Z]|s?$|s[A-Z])/g;

/** @param {string} text */
const pascal = (text) =>
  text.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, first) => first.toUpperCase());

/** @param {string} text */
export const goName = (text) => pascal(text).replaceAll(INITIALISMS, (word) => word.toUpperCase());

/**
 * @param {Json} document is changed
 * @param {(operation: Json) => boolean} takesKey
 * @returns {Json}
 */
export function forGo(document, takesKey) {
  const { components, paths } = document;
  for (const [name, schema] of Object.entries({ ...components.schemas }))
    components.schemas[name] = plain(schema, name, components.schemas);
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const { operationId, parameters = [], responses } = operation;
    const [family, method] = operationId.includes('.') ? operationId.split('.') : ['', operationId];
    const status = Object.keys(responses).find((code) => code.startsWith('2')) ?? '';
    const { content } = responses[status];
    const answer = components.schemas[content['application/json'].schema.$ref.split('/').at(-1)];
    const item = answer.properties.pagination && answer.properties.data.items.$ref.split('/').at(-1);
    Object.assign(operation, {
      operationId: pascal(operationId),
      'x-sdk-service': `${goName(family || method)}Service`,
      'x-sdk-method': goName(method),
      'x-sdk-keyed': takesKey(operation),
      ...(item
        ? { 'x-sdk-item': goName(item), 'x-sdk-all': `All${method === 'list' ? '' : goName(method)}` }
        : {}),
      responses: { [status]: { description: '', content } },
      parameters: parameters
        .map((/** @type {Json} */ one) =>
          one.$ref ? structuredClone(components.parameters[one.$ref.split('/').at(-1)]) : one,
        )
        .filter((/** @type {Json} */ one) => one.in !== 'header'),
    });
    for (const one of operation.parameters) {
      one.schema = plain(one.schema, operation.operationId + pascal(one.name), components.schemas);
      if (['array', 'string'].includes(one.schema.type)) one['x-go-type-skip-optional-pointer'] = true;
    }
  }
  delete document.webhooks;
  for (const kind of ['parameters', 'responses', 'headers']) delete components[kind];
  return { ...document, openapi: '3.0.3' };
}

/**
 * Null is the zero value in Go, an enumeration a string (a newer server has more values), a UUID and an address are text, and of
 * the two forms of headers the list is taken, which keeps their order. A text, list or map that may be left out has
 * no pointer, except in an update, which may empty it.
 * @param {Json} schema @param {string} name of its type @param {Json} schemas gets objects that had no name
 * @param {boolean} [isUpdate] @param {boolean} [isInside] another type
 * @returns {Json} what takes its place
 */
function plain(schema, name, schemas, isUpdate = /Update\w*Body$/.test(name), isInside = false) {
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  const alternatives = (schema.anyOf ?? schema.oneOf)?.filter(
    (/** @type {Json} */ one) => one.type !== 'null',
  );
  if (alternatives) {
    const isText = alternatives.every((/** @type {Json} */ one) => one.type === 'string');
    if (alternatives.length > 1 && !isText && !/Headers\d?$/.test(name))
      throw new Error(`${name} has alternatives: which one is for Go?`);
    const { anyOf: _, oneOf: __, ...own } = schema;
    return plain({ ...alternatives.at(-1), ...own }, name, schemas, isUpdate, isInside);
  }
  if (types.length === 1) [schema.type] = types;
  else delete schema.type;
  if (schema.format !== 'date-time') delete schema.format;
  if (schema.enum) {
    const values = schema.enum
      .filter((/** @type {unknown} */ value) => value !== null)
      .map((/** @type {string} */ value) => `\`${value}\``);
    schema.description = [schema.description, `One of ${values.join(', ')}.`].filter(Boolean).join(' ');
    delete schema.enum;
  }
  if ('const' in schema) delete schema.const;
  for (const [key, value] of Object.entries(schema.properties ?? {})) {
    const field = plain(value, name + pascal(key), schemas, isUpdate, true);
    const needsNone = !field.$ref && !field.format && !['boolean', 'integer', 'number'].includes(field.type);
    schema.properties[key] =
      needsNone && !isUpdate ? { ...field, 'x-go-type-skip-optional-pointer': true } : field;
  }
  if (schema.items)
    schema.items = plain(schema.items, `${name.replace(/s$/, '')}Item`, schemas, isUpdate, true);
  if (typeof schema.additionalProperties === 'object')
    schema.additionalProperties = plain(schema.additionalProperties, `${name}Value`, schemas, isUpdate, true);
  if (!isInside || !schema.properties) return schema;
  if (name in schemas) throw new Error(`two schemas of the name ${name}`);
  schemas[name] = schema;
  return { $ref: `#/components/schemas/${name}` };
}
