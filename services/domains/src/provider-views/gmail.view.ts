import type { ProviderFigure } from '@postmesh/domains-contract';
import { z } from 'zod';
import { ProviderViewError, type ProviderView, type ViewClient } from './provider-view.port.js';

/** OAuth 2.0 of a Google user who may see the domains in Postmaster Tools. */
export interface GmailCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
}

const PUBLIC = { token: 'https://oauth2.googleapis.com', api: 'https://gmailpostmastertools.googleapis.com' };
const DAY_MS = 86_400_000;
/** Figures of a day come a day or two later. */
const DAYS = 7;
/** A token is renewed before it ends. */
const MARGIN_MS = 60_000;

/** Name of ours → metric and filter of the API (StandardMetric, version 2). */
const METRICS: Readonly<Record<ProviderFigure['figure'], { standardMetric: string; filter?: string }>> = {
  spam_rate: { standardMetric: 'SPAM_RATE' },
  spf_rate: { standardMetric: 'AUTH_SUCCESS_RATE', filter: 'auth_type = "spf"' },
  dkim_rate: { standardMetric: 'AUTH_SUCCESS_RATE', filter: 'auth_type = "dkim"' },
  dmarc_rate: { standardMetric: 'AUTH_SUCCESS_RATE', filter: 'auth_type = "dmarc"' },
  tls_rate: { standardMetric: 'TLS_ENCRYPTION_RATE', filter: 'traffic_direction = "inbound"' },
};
const isFigure = (name: string): name is ProviderFigure['figure'] => Object.hasOwn(METRICS, name);

const Token = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });
const CalendarDay = z.object({ year: z.int(), month: z.int(), day: z.int() });
const Stats = z.object({
  domainStats: z
    .array(
      z.object({
        metric: z.string(),
        date: CalendarDay.optional(),
        value: z.object({ doubleValue: z.number().optional(), floatValue: z.number().optional() }).optional(),
      }),
    )
    .max(200)
    .default([]),
});

/** Gmail Postmaster Tools, version 2 (developers.google.com/workspace/gmail/postmaster/reference/rest/v2). */
export class GmailView implements ProviderView<string, ProviderFigure> {
  private token: { value: string; until: number } | undefined;

  /** @param api in place of both public addresses */
  constructor(
    private readonly client: ViewClient,
    private readonly credentials: GmailCredentials,
    private readonly api?: string,
  ) {}

  async tryOut(): Promise<void> {
    await this.accessToken();
  }

  async read(domain: string, now: Date): Promise<readonly ProviderFigure[]> {
    const token = await this.accessToken();
    const { status, text } = await this.client.post(
      `${this.api ?? PUBLIC.api}/v2/domains/${encodeURIComponent(domain)}/domainStats:query`,
      {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(queryOf(now)),
      },
    );
    if (status === 401) {
      this.token = undefined;
      throw new ProviderViewError('credentials_refused', `status ${status}`);
    }
    // PERMISSION_DENIED is for domains that the user may not see
    if (status === 403 || status === 404) throw new ProviderViewError('domain_missing', `status ${status}`);
    return newest(parsed(status, text, Stats).domainStats);
  }

  private async accessToken(): Promise<string> {
    if (this.token && this.token.until > Date.now()) return this.token.value;
    const { clientId, clientSecret, refreshToken } = this.credentials;
    const { status, text } = await this.client.post(`${this.api ?? PUBLIC.token}/token`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        client_id: clientId,
        client_secret: clientSecret,
        refresh_token: refreshToken,
        grant_type: 'refresh_token',
      }).toString(),
    });
    // RFC 6749 §5.2: invalid_grant, invalid_client
    if (status === 400 || status === 401)
      throw new ProviderViewError('credentials_refused', `status ${status}`);
    const { access_token: value, expires_in: seconds } = parsed(status, text, Token);
    this.token = { value, until: Date.now() + seconds * 1_000 - MARGIN_MS };
    return value;
  }
}

function queryOf(now: Date): object {
  const day = (daysAgo: number) => {
    const at = new Date(now.getTime() - daysAgo * DAY_MS);
    return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() };
  };
  return {
    metricDefinitions: Object.entries(METRICS).map(([name, { standardMetric, filter }]) => ({
      name,
      baseMetric: { standardMetric },
      ...(filter === undefined ? {} : { filter }),
    })),
    timeQuery: { dateRanges: { dateRanges: [{ start: day(DAYS), end: day(1) }] } },
    aggregationGranularity: 'DAILY',
    pageSize: 200,
  };
}

function parsed<S extends z.ZodType>(status: number, text: string, schema: S): z.infer<S> {
  if (status === 429) throw new ProviderViewError('rate_limited', 'status 429');
  if (status >= 500) throw new ProviderViewError('unreachable', `status ${status}`);
  if (status !== 200) throw new ProviderViewError('unexpected', `status ${status}`);
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new ProviderViewError('unexpected', 'the answer has another form');
  }
}

function newest(stats: z.infer<typeof Stats>['domainStats']): ProviderFigure[] {
  const found = new Map<ProviderFigure['figure'], ProviderFigure>();
  for (const { metric, date, value } of stats) {
    const share = value?.doubleValue ?? value?.floatValue;
    if (!isFigure(metric) || !date || share === undefined || !(share >= 0 && share <= 1)) continue;
    const day = new Date(Date.UTC(date.year, date.month - 1, date.day)).toISOString().slice(0, 10);
    const known = found.get(metric);
    if (known === undefined || known.day < day) found.set(metric, { figure: metric, value: share, day });
  }
  return Object.keys(METRICS).flatMap((name) => (isFigure(name) ? (found.get(name) ?? []) : []));
}
