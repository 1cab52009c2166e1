import { isIP } from 'node:net';
import type { AddressFigure } from '@postmesh/domains-contract';
import { z } from 'zod';
import { ProviderViewError, type ProviderView, type ViewClient } from './provider-view.port.js';

/** The key of “Automated Data Access”, which reads the addresses that are registered with it. */
export interface SndsCredentials {
  readonly key: string;
}

const PUBLIC = 'https://sendersupport.olc.protection.outlook.com';

/** The columns that are read, in their order; the last ones are words of clients, in which a comma may be. */
const COLUMNS = [
  'address',
  'periodStart',
  'periodEnd',
  'rcptCommands',
  'dataCommands',
  'messages',
  'filterResult',
  'complaintRate',
  'trapStart',
  'trapEnd',
  'trapHits',
] as const;

const count = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const Row = z.object({
  address: z.string().refine((text) => isIP(text) !== 0),
  periodEnd: z.string().transform((text, context) => {
    const [, month = '', day = '', year = ''] = /^(\d{1,2})\/(\d{1,2})\/(\d{4}) /.exec(text) ?? [];
    const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    if (!z.iso.date().safeParse(date).success) context.addIssue('no day');
    return date;
  }),
  messages: count,
  filterResult: z.enum(['GREEN', 'YELLOW', 'RED']),
  complaintRate: z.string().regex(/^$|^[<>]? ?\d{1,3}(?:\.\d{1,4})? ?%$/),
  trapHits: count,
});

/** Microsoft SNDS: what Outlook.com sees of the sending addresses, as comma-separated lines without a head. */
export class SndsView implements ProviderView<readonly string[], AddressFigure> {
  /** @param api in place of the public address */
  constructor(
    private readonly client: ViewClient,
    private readonly credentials: SndsCredentials,
    private readonly api: string = PUBLIC,
  ) {}

  async tryOut(): Promise<void> {
    await this.all();
  }

  async read(addresses: readonly string[]): Promise<readonly AddressFigure[]> {
    const newest = new Map<string, AddressFigure>();
    for (const figure of await this.all()) {
      const known = newest.get(figure.address);
      if (known === undefined || known.day <= figure.day) newest.set(figure.address, figure);
    }
    return addresses.flatMap((address) => newest.get(address) ?? []);
  }

  private async all(): Promise<AddressFigure[]> {
    const { status, text } = await this.client.get(
      `${this.api}/snds/data.aspx?key=${encodeURIComponent(this.credentials.key)}`,
    );
    if (status === 429) throw new ProviderViewError('rate_limited', 'status 429');
    if (status >= 500) throw new ProviderViewError('unreachable', `status ${status}`);
    if (status >= 400) throw new ProviderViewError('credentials_refused', `status ${status}`);
    if (status !== 200) throw new ProviderViewError('unexpected', `status ${status}`);
    return text
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '')
      .map(figureOf);
  }
}

/** A line that is no row makes the whole answer one of another form, as a page for people would be. */
function figureOf(line: string): AddressFigure {
  const values = line.split(',');
  const given = Object.fromEntries(COLUMNS.map((name, nth) => [name, values[nth]?.trim()]));
  const row = Row.safeParse(given);
  if (!row.success) throw new ProviderViewError('unexpected', 'the answer has another form');
  const { address, periodEnd: day, messages, filterResult, complaintRate, trapHits } = row.data;
  return {
    address,
    filter_result: filterResult.toLowerCase() as AddressFigure['filter_result'],
    complaint_rate: complaintRate,
    trap_hits: trapHits,
    messages,
    day,
  };
}
