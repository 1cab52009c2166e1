import { shareText } from '../statistics/deliverability.rules';
import { Badge } from '../ui/badge';
import { Section } from '../ui/page';
import { Time } from '../ui/times';
import { t } from '../words/words';
import type { Campaign } from './campaign-states';
import { useTrial, type CampaignTrial } from './trials';

/** The variants of a campaign next to each other. */
export function TrialResults({ campaign, refreshMs }: { campaign: Campaign; refreshMs: number }) {
  const { data } = useTrial(campaign.id, refreshMs);
  if (!data?.trial || data.results.length === 0) return null;
  return (
    <Section title={t.trials.title} lead={<State of={data} />}>
      <div className="panel overflow-x-auto">
        <table className="w-full text-sm">
          <thead>
            <tr className="border-b border-line text-left text-xs text-ink-3">
              <th className="px-4 py-2 font-medium">{t.trials.variantTitle}</th>
              {NUMBERS.map((name) => (
                <th key={name} className="px-4 py-2 text-right font-medium">
                  {name === 'recipients' ? t.campaigns.recipients : t.campaigns.counts[name]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {data.results.map((result) => (
              <tr key={result.variant}>
                <th scope="row" className="px-4 py-2 text-left font-medium">
                  {nameOf(data, result.variant, campaign)}{' '}
                  {data.winner === result.variant && <Badge tone="good">{t.trials.winner}</Badge>}
                </th>
                {NUMBERS.map((name) => (
                  <td key={name} className="px-4 py-2 text-right">
                    {result[name].toLocaleString('en')}
                    {(name === 'opened' || name === 'clicked') && (
                      <span className="block text-xs text-ink-3">
                        {shareText(result[name], result.delivered)}
                      </span>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

const NUMBERS = ['recipients', 'delivered', 'opened', 'clicked'] as const;

function nameOf({ trial }: CampaignTrial, variant: number, campaign: Campaign): string {
  if (variant === 0) return campaign.subject ?? '';
  const { subject = null } = trial?.variants[variant - 1] ?? {};
  return subject ?? t.trials.variant(variant);
}

function State({ of: { winner, decided_at, decides_at } }: { of: CampaignTrial }) {
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
