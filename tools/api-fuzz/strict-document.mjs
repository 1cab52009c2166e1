// Clients must accept unknown fields, so the responses of the document are open. An undescribed field in a response is
// still a mistake, maybe a secret: for the fuzzer they are closed. Schemas of requests that are marked as lenient fail
// no request: for the fuzzer they allow anything.

const COMPONENT = '#/components/schemas/';

/** @returns a copy of an OpenAPI document in which no answer may have a field that is not described, and lenient schemas are open */
export function closeAnswers(document) {
  const copy = structuredClone(document);
  const seen = new Set();
  const close = (schema) => closeSchema(schema, copy, seen);
  const responses = [
    ...Object.values(copy.paths).flatMap((path) =>
      Object.values(path).flatMap((operation) => Object.values(operation.responses)),
    ),
    ...Object.values(copy.components.responses),
  ];
  for (const response of responses) {
    for (const media of Object.values(response.content ?? {})) close(media.schema);
  }
  return JSON.parse(JSON.stringify(copy), (_key, value) => (value?.['x-lenient'] ? {} : value));
}

function closeSchema(schema, document, seen) {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return;
  seen.add(schema);
  const { $ref } = schema;
  if ($ref) closeSchema(document.components.schemas[$ref.slice(COMPONENT.length)], document, seen);
  if (schema.properties && schema.additionalProperties === undefined) schema.additionalProperties = false;
  const parts = [
    ...Object.values(schema.properties ?? {}),
    ...['anyOf', 'oneOf', 'allOf', 'prefixItems'].flatMap((key) => schema[key] ?? []),
    schema.items,
    schema.additionalProperties,
  ];
  for (const part of parts) closeSchema(part, document, seen);
}
