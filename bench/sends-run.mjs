// @ts-check
// (g) Cost of rendering and tracking: sends of each kind, from the first request to the last delivery, compared with
// plain messages of the same size in the same system, and with public libraries that render and compose the same.
import { burst } from './deliver-run.mjs';
import { ratio, round } from './figures.rules.mjs';
import { ADDRESS, textOf } from './http-client.mjs';
import { DOMAIN, withParts } from './stack.mjs';
import { Worker } from './workers.mjs';

/** @typedef {import('./stack.mjs').Stack} Stack */

const LINKS = 10;
const COMPOSE_LIMIT_MS = 300_000;
const MOST_COMPOSED = 5_000;
const VALUES = { name: 'Ann', order: 'A-1700', city: 'Oslo' };
const SUBJECT = 'Order {{ order }} for {{ name }}';
const GREETING = 'Dear {{ name }},\r\nyour order {{ order }} is on its way to {{ city }}.\r\n';
const FROM = { email: `sender@${DOMAIN}` };

/** @typedef {{ name: string, recipients: number, path?: string, body: (stack: Stack, size: number) => object | Promise<object> }} Kind */

/** @type {Record<'regular' | 'templates' | 'tracked', Kind[]>} the first of each is the reference of the others */
export const SENDS = {
  regular: [
    { name: 'plain conversation, 1 recipient', recipients: 1, body: (_, size) => plain(size) },
    {
      name: 'regular, 1 recipient with substitutions',
      recipients: 1,
      path: '',
      body: (_, size) => regular(1, size),
    },
    {
      name: 'regular, 100 recipients with substitutions',
      recipients: 100,
      path: '',
      body: (_, size) => regular(100, size),
    },
  ],
  templates: [
    { name: 'plain conversation, 1 recipient', recipients: 1, body: (_, size) => plain(size) },
    { name: 'template, 1 recipient', recipients: 1, path: '/template', body: template(1) },
    { name: 'template, 100 recipients', recipients: 100, path: '/template', body: template(100) },
  ],
  tracked: [
    {
      name: `HTML with ${LINKS} links, not tracked`,
      recipients: 1,
      body: (_, size) => withLinks(size, false),
    },
    { name: `HTML with ${LINKS} links, tracked`, recipients: 1, body: (_, size) => withLinks(size, true) },
  ],
};

/**
 * @param {keyof typeof SENDS} part @param {import('./options.mjs').Context} context
 * @returns {Promise<Record<string, any>>} figures
 */
export async function measureSends(part, { options, note }) {
  const { messages: count, bodyBytes } = options;
  /** @type {Record<string, any>[]} */
  const runs = [];
  await withParts({ tls: options.tls, note }, async (parts) => {
    for (const kind of SENDS[part]) runs.push(await measureKind(kind, parts, options));
  });
  const libraries = {
    name: 'MiniJinja and nodemailer, nothing stored or sent',
    ...(await composeElsewhere(Math.min(count, MOST_COMPOSED), bodyBytes)),
  };
  // tracking links are longer than those that they replace
  if (part === 'tracked' && !(runs[1]?.bytes_per_message > runs[0]?.bytes_per_message)) {
    throw new Error(`nothing was tracked: ${runs.map((run) => run.bytes_per_message)} bytes a message`);
  }
  const [plainRun] = runs;
  const rate = (run) => run?.messages_per_second;
  return {
    name: part,
    runs: runs.map((run) => ({ ...run, ratio_to_plain: ratio(rate(run), rate(plainRun)) })),
    libraries,
    ratios: Object.fromEntries(
      runs.slice(1).flatMap((run) => [
        [`${run.name}, messages/s to plain`, ratio(rate(run), rate(plainRun))],
        [`${run.name}, messages/s to MiniJinja and nodemailer`, ratio(rate(run), rate(libraries))],
      ]),
    ),
  };
}

/**
 * Warm-up messages of the same kind, then the measured ones.
 * @param {Kind} kind @param {import('./stack.mjs').Parts} parts @param {import('./options.mjs').Options} options
 */
async function measureKind({ name, recipients, path, body }, parts, options) {
  const { stack, sink } = parts;
  const target = stack.target({ recipients, bodyBytes: options.bodyBytes });
  const message = {
    ...target.message,
    body: await body(stack, options.bodyBytes),
    ...(path === undefined ? {} : { path: target.message.path.replace(/\/conversation$/, path) }),
  };
  const job = { ...target, message, connections: options.connections };
  const requestsOf = (messages) => Math.ceil(messages / recipients);
  await burst(parts, { ...job, requests: requestsOf(options.warmMessages) }, recipients);
  await sink.reset();
  const firstNumber = requestsOf(options.warmMessages);
  const { counts, ...figures } = await burst(
    parts,
    { ...job, requests: requestsOf(options.messages), firstNumber },
    recipients,
  );
  await sink.reset();
  return {
    name,
    recipients_per_request: recipients,
    ...figures,
    bytes_per_message: round(counts.bytes / counts.messages),
    unsigned: counts.messages - counts.signed,
  };
}

const recipientsOf = (count) =>
  Array.from({ length: count }, () => ({ email: ADDRESS, name: 'Ann', substitutions: VALUES }));

/** As long as the others after rendering. */
const plain = (size) => ({
  from: FROM,
  to: [{ email: ADDRESS }],
  subject: 'Order A-1700 for Ann',
  ...contentOf(size, (text) => text.replace(/{{ (\w+) }}/g, (_, key) => VALUES[key])),
});

const regular = (count, size) => ({
  from: FROM,
  recipients: recipientsOf(count),
  subject: SUBJECT,
  ...contentOf(size),
});

/** @param {number} count @returns {Kind['body']} */
function template(count) {
  return async (stack, size) => {
    const { text_content: text, html_content: html } = contentOf(size);
    const { id } = await stack.call('POST', '/templates', 201, {
      name: `bench ${count}`,
      subject: SUBJECT,
      from: FROM,
      content: { html, text },
      publish: true,
    });
    return { template_id: id, recipients: recipientsOf(count) };
  };
}

function withLinks(size, tracked) {
  const link = (nth) => `<a href="https://shop.example/orders/${nth}?from=mail">order ${nth}</a>\r\n`;
  const links = Array.from({ length: LINKS }, (_, nth) => link(nth)).join('');
  const html = `<html><body><p>Hello</p>\r\n${links}<p>${textOf(size)}</p></body></html>`;
  const tracking = { open: tracked, click: tracked };
  return { from: FROM, to: [{ email: ADDRESS }], subject: 'Orders', html_content: html, tracking };
}

/** Half text, half HTML. */
function contentOf(size, change = (text) => text) {
  const text = change(GREETING) + textOf(Math.ceil(size / 2));
  return { text_content: text, html_content: `<html><body><p>${text}</p></body></html>` };
}

async function composeElsewhere(count, size) {
  const { text_content: text, html_content: html } = contentOf(size);
  const worker = new Worker('plain-composer.mjs');
  try {
    const input = { parts: { subject: SUBJECT, text, html }, values: VALUES, count, from: FROM.email };
    return await worker.ask('compose', input, COMPOSE_LIMIT_MS);
  } finally {
    await worker.stop();
  }
}
