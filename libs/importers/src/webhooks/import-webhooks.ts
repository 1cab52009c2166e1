import { z } from 'zod';
import { ApiError } from '@postmesh/contracts';
import { listAll } from '../apply/pages.js';
import { RefusedRequest, type ApiTarget } from '../apply/target.js';
import { readJson } from '../read/json-file.js';
import { fieldOf } from '../read/rows.js';
import type { Source, WebhookFlag, WebhookForm } from '../sources/source.js';

const MAX_WEBHOOKS = 10_000;
const MAX_NAME = 255;

/** A webhook of the other service, in our events. */
export interface GivenWebhook {
  url: string;
  name: string;
  enabled: boolean;
  flags: WebhookFlag[];
  /** events that we do not have */
  without: string[];
}

interface WebhookResult {
  url: string;
  result: 'new' | 'created' | 'unchanged' | 'refused';
  events: string;
  /** events of the service that ours do not have, or the reason why it is refused */
  note: string;
  /** shown once, when it is created */
  secret?: string;
}

export interface WebhooksReport {
  what: 'webhooks';
  webhooks: WebhookResult[];
  refused: number;
}

export interface WebhooksJob {
  source: Source;
  file: string;
  api: ApiTarget;
}

/** Creates the webhooks of a file. One whose URL has a webhook here stays as it is. @throws ApiError 400 */
export async function importWebhooks(
  { source, file, api }: WebhooksJob,
  applies: boolean,
): Promise<WebhooksReport> {
  const form = source.webhooks;
  if (!form) throw new ApiError(400, source.without.webhooks ?? `${source.title} exports no webhooks`);
  const given = readWebhooks(await readJson(file), form, source.title);
  if (given.length === 0) throw new ApiError(400, 'the file has no webhooks');
  const known = new Set(
    ((await listAll(api, '/webhooks', z.object({ url: z.string() }), MAX_WEBHOOKS)) ?? []).map(
      ({ url }) => url,
    ),
  );
  const webhooks: WebhookResult[] = [];
  for (const webhook of given) webhooks.push(await importOne(api, webhook, { known, applies }));
  return {
    what: 'webhooks',
    webhooks,
    refused: webhooks.filter(({ result }) => result === 'refused').length,
  };
}

async function importOne(
  api: ApiTarget,
  { url, name, enabled, flags, without }: GivenWebhook,
  { known, applies }: { known: ReadonlySet<string>; applies: boolean },
): Promise<WebhookResult> {
  const events = flags.join(', ');
  const note = without.length === 0 ? '' : `without ${without.join(', ')}`;
  if (known.has(url))
    return { url, result: 'unchanged', events, note: 'the account has a webhook of this URL' };
  if (flags.length === 0) return { url, result: 'refused', events, note: note || 'it has no events' };
  if (!applies) return { url, result: 'new', events, note };
  try {
    const body = {
      name,
      url,
      enabled,
      scope: 'global',
      ...Object.fromEntries(flags.map((flag) => [flag, true])),
    };
    const { secret } = z.object({ secret: z.string() }).parse(await api.call('POST', '/webhooks', body));
    return { url, result: 'created', events, note, secret };
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error;
    return { url, result: 'refused', events, note: error.message };
  }
}

export function readWebhooks(value: unknown, form: WebhookForm, title: string): GivenWebhook[] {
  if (form.events.as === 'by-event') return byEvent(value, form, title);
  const inner = Array.isArray(value)
    ? value
    : (form.rowsIn.map((name) => fieldOf(value, name)).find(Array.isArray) ?? [value]);
  return (inner as unknown[]).map((one) => {
    const url = String(fieldOf(one, form.url) ?? '');
    const named = form.webhookName === undefined ? '' : String(fieldOf(one, form.webhookName) ?? '').trim();
    return {
      url,
      name: Array.from(named || `${title} ${url}`)
        .slice(0, MAX_NAME)
        .join(''),
      enabled: form.enabled === undefined || fieldOf(one, form.enabled.column) === form.enabled.value,
      ...inOurEvents(eventsOf(one, form), form),
    };
  });
}

/** The names of its events that are switched on. */
function eventsOf(webhook: unknown, { events, flags }: WebhookForm): string[] {
  const given = fieldOf(webhook, events.column);
  if (events.as === 'names') return Array.isArray(given) ? given.map(String) : [];
  return Object.keys(flags).filter((name) => {
    const flag = fieldOf(given, name);
    return flag === true || fieldOf(flag, 'Enabled') === true;
  });
}

/** An event without a row in the table is named as well: it may be newer than the table. */
function inOurEvents(
  events: readonly string[],
  { flags }: WebhookForm,
): Pick<GivenWebhook, 'flags' | 'without'> {
  const known = events.map((name) => [name, Object.hasOwn(flags, name) ? flags[name] : null] as const);
  return {
    flags: [...new Set(known.flatMap(([, ours]) => ours ?? []))],
    without: known.filter(([, ours]) => !ours).map(([name]) => name),
  };
}

/** `{ webhooks: { delivered: { urls: […] } } }`: each URL is a webhook. */
function byEvent(value: unknown, form: WebhookForm, title: string): GivenWebhook[] {
  const urls = new Map<string, string[]>();
  for (const [event, one] of Object.entries(fieldOf(value, form.events.column) ?? {})) {
    const given = fieldOf(one, form.url);
    for (const url of Array.isArray(given) ? given.map(String) : [])
      urls.set(url, [...(urls.get(url) ?? []), event]);
  }
  return [...urls].map(([url, events]) => ({
    url,
    name: Array.from(`${title} ${url}`).slice(0, MAX_NAME).join(''),
    enabled: true,
    ...inOurEvents(events, form),
  }));
}
