import { shareText } from '../statistics/deliverability.rules';
import { FiguresTable, type FiguresColumn } from '../statistics/figures-table';
import { Badge } from '../ui/badge';
import { Section } from '../ui/page';
import { Time } from '../ui/times';
import { t } from '../words/words';
import type { Campaign } from './campaign-states';
import { useTrial, type CampaignTrial } from './trials';

type Result = CampaignTrial['results'][number];

/** The variants of a campaign next to each other. */
export function TrialResults({ campaign, refreshMs }: { campaign: Campaign; refreshMs: number }) {
  const { data } = useTrial(campaign.id, refreshMs);
  if (!data?.trial || data.results.length === 0) return null;
  return (
    <Section title={t.trials.title} lead={<State of={data} />}>
      <FiguresTable
        label={t.trials.variants}
        head={t.trials.variantTitle}
        columns={COLUMNS}
        rows={data.results}
        keyOf={({ variant }) => String(variant)}
        nameOf={({ variant }) => (
          <>
            {nameOf(data, variant, campaign)}{' '}
            {data.winner === variant && <Badge tone="good">{t.trials.winner}</Badge>}
          </>
        )}
      />
    </Section>
  );
}

const ofDelivered = (name: 'opened' | 'clicked'): FiguresColumn<Result> => ({
  title: t.campaigns.counts[name],
  cell: (result) => `${result[name].toLocaleString('en')} ${shareText(result[name], result.delivered)}`,
});

const COLUMNS: readonly FiguresColumn<Result>[] = [
  { title: t.campaigns.recipients, cell: ({ recipients: n }) => n.toLocaleString('en') },
  { title: t.campaigns.counts.delivered, cell: ({ delivered: n }) => n.toLocaleString('en') },
  ofDelivered('opened'),
  ofDelivered('clicked'),
];

function nameOf({ trial }: CampaignTrial, variant: number, campaign: Campaign): string {
  if (variant === 0) return campaign.subject ?? '';
  const { subject = null } = trial?.variants[variant - 1] ?? {};
  return subject ?? t.trials.variant(variant);
}

function State({ of: { winner, decided_at, decides_at } }: { of: CampaignTrial }) {
  if (decided_at !== null && winner === null) return t.trials.stopped;
  if (decided_at !== null)
    return (
      <>
        {t.trials.decided(winner ?? 0)} <Time at={decided_at} />
      </>
    );
  if (decides_at === null) return t.trials.begins;
  return (
    <>
      {t.trials.decides} <Time at={decides_at} />
    </>
  );
}
