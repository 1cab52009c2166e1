// The lists of settings and services in the chart's values schema, made from the settings catalogue and the list of
// services: a misspelt one, a secret in plain text, or a setting that the chart needs for itself is refused before anything
// is installed.

/** Set by templates/_environment.tpl; others would contradict the ports and folders of the templates. */
const OF_THE_CHART = new Set([
  'KAFKA_BROKERS',
  'KAFKA_SSL',
  'KAFKA_CA_FILE',
  'KAFKA_SASL_MECHANISM',
  'KAFKA_SASL_USERNAME',
  'POSTMESH_BASE_URL',
  'POSTMESH_BLOB_DIR',
  'POSTMESH_BLOB_STORE',
  'POSTMESH_DATA_DIR',
  'POSTMESH_DRAIN_SECONDS',
  'POSTMESH_EGRESS_SOURCES',
  'POSTMESH_HTTP_HOST',
  'POSTMESH_HTTP_PORT',
  'POSTMESH_LOCAL_INTERNET',
  'POSTMESH_MAILBOX_PORT',
  'POSTMESH_MX_PORT',
  'POSTMESH_OPERATOR_HOST',
  'POSTMESH_OPERATOR_PORT',
  'POSTMESH_S3_ACCESS_KEY',
  'POSTMESH_S3_BUCKET',
  'POSTMESH_S3_ENDPOINT',
  'POSTMESH_S3_PATH_STYLE',
  'POSTMESH_S3_PREFIX',
  'POSTMESH_S3_REGION',
  'POSTMESH_SENDING_ADDRESSES',
  'POSTMESH_SERVICE_HOST',
  'POSTMESH_SERVICE_PORT',
  'POSTMESH_SERVICE_ZONE',
  'POSTMESH_SMTP_HOST',
  'POSTMESH_SMTP_PROXIES',
  'POSTMESH_SMTP_TLS_CERT_FILE',
  'POSTMESH_SMTP_TLS_KEY_FILE',
  'POSTMESH_SUBMISSION_PORTS',
  'POSTMESH_TERMINATION_GRACE_SECONDS',
  'POSTMESH_TRUSTED_PROXIES',
]);
/** Secrets with a place of their own in the values. */
const PLACED = /DATABASE_URL$|^REDIS_URL$|^KAFKA_SASL_PASSWORD$|^POSTMESH_S3_SECRET_KEY$/;

/**
 * @param {string} text the current values.schema.json
 * @param {readonly {env: string, secret: boolean}[]} catalogue every setting
 * @param {{ services: readonly string[], serviceUrls: ReadonlySet<string> }} known `serviceUrls`: the settings with URLs of
 *   services
 * @returns {string} with the right lists
 */
export function valuesSchema(text, catalogue, { services, serviceUrls }) {
  const schema = JSON.parse(text);
  const isFree = ({ env, secret }) => !secret && !OF_THE_CHART.has(env) && !serviceUrls.has(env);
  const namesOf = (settings) => settings.map(({ env }) => env).toSorted();
  schema.$defs.settings.propertyNames.enum = namesOf(catalogue.filter(isFree));
  schema.properties.secrets.propertyNames.enum = namesOf(
    catalogue.filter(({ env, secret }) => secret && !PLACED.test(env)),
  );
  const { services: shown, postgres, networkPolicy } = schema.properties;
  const each = (names, value) => Object.fromEntries(names.map((name) => [name, value]));
  shown.properties = each(services, { $ref: '#/$defs/service' });
  shown.required = services;
  postgres.properties.perService.properties = each(
    services.filter((name) => name !== 'gateway'),
    { $ref: '#/$defs/secretOrNone' },
  );
  networkPolicy.properties.extraEgress.properties = each(services, {
    type: 'array',
    items: { type: 'object' },
    maxItems: 64,
  });
  return `${JSON.stringify(schema, null, 2)}\n`;
}
