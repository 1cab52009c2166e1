import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ConsoleSchemas } from '../api/client';
import { useCan } from '../api/session';
import { Button } from '../ui/button';
import { Section } from '../ui/page';
import { saveCsv } from '../ui/save-csv';
import { Loaded } from '../ui/states';
import { dateTimeText, durationText, useZone } from '../ui/times';
import { t } from '../words/words';
import { shareText } from './deliverability.rules';
import { FiguresTable, type FiguresColumn } from './figures-table';
import { useCampaignFigures, useProviderFigures, useTemplateFigures, type Narrowed } from './queries';

type Template = ConsoleSchemas['TemplateFigures']['data'][number];
type Provider = ConsoleSchemas['ProviderFigures']['data'][number];
type Campaign = ConsoleSchemas['CampaignFigures']['data'][number];

const count = (value: number) => value.toLocaleString('en');

/** The same period by template, mailbox provider and campaign. Tags are no part of these counters. */
export function Groups({ narrowed }: { narrowed: Narrowed }) {
  const mayReadCampaigns = useCan('campaigns:read');
  if (narrowed.tag !== undefined) return <p className="mt-8 text-sm text-ink-3">{t.statistics.notByTag}</p>;
  return (
    <>
      <Providers narrowed={narrowed} />
      <Templates narrowed={narrowed} />
      {mayReadCampaigns && <Campaigns narrowed={narrowed} />}
    </>
  );
}

const of = t.statistics.columns;
const PROVIDER_COLUMNS: readonly FiguresColumn<Provider>[] = [
  { title: of.delivered_count, cell: (row) => count(row.delivered_count) },
  { title: t.statistics.share, cell: (row) => shareText(row.delivered_count, attemptedAt(row)) },
  { title: of.deferred_count, cell: (row) => count(row.deferred_count) },
  { title: of.bounced_count, cell: (row) => count(row.bounced_count) },
  { title: of.failed_count, cell: (row) => count(row.failed_count) },
  {
    title: t.statistics.time,
    cell: (row) => (row.delivered_count === 0 ? '–' : durationText(row.avg_delivery_time)),
  },
];
/** Messages that have come to an end there. */
const attemptedAt = (row: Provider) => row.delivered_count + row.bounced_count + row.failed_count;
const nameOfProvider = (id: string): string => (t.statistics.providers as Record<string, string>)[id] ?? id;

function Providers({ narrowed }: { narrowed: Narrowed }) {
  const query = useProviderFigures(narrowed);
  return (
    <Group
      title={t.statistics.byProvider}
      lead={t.statistics.byProviderText}
      file="providers.csv"
      nothing={t.statistics.noProviders}
      query={query}
      name={t.statistics.provider}
      columns={PROVIDER_COLUMNS}
      keyOf={({ provider }) => provider}
      nameOf={({ provider }) => nameOfProvider(provider)}
    />
  );
}

const TEMPLATE_COLUMNS: readonly FiguresColumn<Template>[] = [
  { title: of.reception_count, cell: (row) => count(row.reception_count) },
  { title: of.delivered_count, cell: (row) => count(row.delivered_count) },
  { title: t.statistics.share, cell: (row) => shareText(row.delivered_count, row.reception_count) },
  { title: of.deferred_count, cell: (row) => count(row.deferred_count) },
  { title: of.bounced_count, cell: (row) => count(row.bounced_count) },
  { title: of.suppressed_count, cell: (row) => count(row.suppressed_count) },
  { title: of.opened_count, cell: (row) => count(row.opened_count) },
  { title: of.clicked_count, cell: (row) => count(row.clicked_count) },
  { title: t.statistics.complaints, cell: (row) => count(row.complaint_count) },
];

function Templates({ narrowed }: { narrowed: Narrowed }) {
  const query = useTemplateFigures(narrowed);
  return (
    <Group
      title={t.statistics.byTemplate}
      lead={t.statistics.byTemplateText}
      file="templates.csv"
      nothing={t.statistics.noTemplates}
      query={query}
      name={t.statistics.template}
      columns={TEMPLATE_COLUMNS}
      keyOf={({ template_id: id }) => id}
      nameOf={({ name }) => name ?? t.statistics.deletedTemplate}
      link={({ template_id: templateId, name }, text) =>
        name === null ? (
          text
        ) : (
          <Link to="/templates/$templateId" params={{ templateId }} className="hover:underline">
            {text}
          </Link>
        )
      }
    />
  );
}

const CAMPAIGN_COLUMNS: readonly FiguresColumn<Campaign>[] = [
  { title: t.statistics.recipients, cell: (row) => count(row.recipients) },
  { title: of.delivered_count, cell: (row) => count(row.delivered) },
  { title: t.statistics.share, cell: (row) => shareText(row.delivered, row.recipients) },
  { title: of.bounced_count, cell: (row) => count(row.bounced) },
  { title: t.campaigns.counts.skipped, cell: (row) => count(row.skipped) },
  { title: of.opened_count, cell: (row) => count(row.opened) },
  { title: of.clicked_count, cell: (row) => count(row.clicked) },
  { title: t.statistics.unsubscribed, cell: (row) => count(row.unsubscribed) },
  { title: t.statistics.complaints, cell: (row) => count(row.complained) },
];

function Campaigns({ narrowed }: { narrowed: Narrowed }) {
  const query = useCampaignFigures(narrowed);
  const zone = useZone();
  const begun: FiguresColumn<Campaign> = {
    title: t.statistics.begun,
    cell: (row) => dateTimeText(row.sent_at, zone, { seconds: false }),
  };
  return (
    <Group
      title={t.statistics.byCampaign}
      lead={t.statistics.byCampaignText}
      file="campaigns.csv"
      nothing={t.statistics.noCampaigns}
      query={query}
      name={t.statistics.campaign}
      columns={[begun, ...CAMPAIGN_COLUMNS]}
      keyOf={({ campaign_id: id }) => id}
      nameOf={({ name }) => name}
      link={({ campaign_id: campaignId }, text) => (
        <Link to="/campaigns/$campaignId" params={{ campaignId }} className="hover:underline">
          {text}
        </Link>
      )}
    />
  );
}

interface Listed<T> {
  readonly data: T[];
  readonly is_cut: boolean;
}

function Group<T extends object>({
  title,
  lead,
  file,
  nothing,
  query,
  name,
  columns,
  keyOf,
  nameOf,
  link = (_, text) => text,
}: {
  title: string;
  lead: string;
  file: string;
  nothing: string;
  query: { data: Listed<T> | undefined; error: Error | null; refetch: () => unknown };
  name: string;
  columns: readonly FiguresColumn<T>[];
  keyOf: (row: T) => string;
  nameOf: (row: T) => string;
  link?: (row: T, text: string) => ReactNode;
}) {
  const rows = query.data?.data ?? [];
  const [first] = rows;
  return (
    <Section
      title={title}
      lead={lead}
      actions={
        first && (
          <Button
            onClick={() =>
              saveCsv(file, [
                Object.keys(first),
                ...rows.map((row) => Object.values(row).map((value) => String(value ?? ''))),
              ])
            }
          >
            {t.exportCsv}
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {({ data, is_cut: isCut }) =>
          data.length === 0 ? (
            <p className="panel px-4 py-3 text-ink-2">{nothing}</p>
          ) : (
            <>
              <FiguresTable
                label={title}
                head={name}
                columns={columns}
                rows={data}
                keyOf={keyOf}
                nameOf={(row) => link(row, nameOf(row))}
              />
              {isCut && <p className="mt-1 text-xs text-ink-3">{t.statistics.cut(data.length)}</p>}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}
