import { useState } from 'react';
import { api, once, read } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan, useSession } from '../api/session';
import { Button } from '../ui/button';
import { Input } from '../ui/field';
import { Icon } from '../ui/icons';
import { Section } from '../ui/page';
import { Curl } from '../ui/states';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import type { Campaign } from './campaign-states';
import { CampaignTrialForm } from './campaign-trial';

/** Every issue that a campaign can have; those that it has are open. */
const CHECKS = [
  'subject_missing',
  'sender_missing',
  'sender_domain_invalid',
  'sender_domain_paused',
  'lists_missing',
  'lists_empty',
  'content_missing',
  'content_unrenderable',
  'unsubscribe_link_missing',
] as const;

type Issues = readonly { code: string; message: string }[];

export function SendPanel({ campaign }: { campaign: Campaign }) {
  const issues = (campaign.issues ?? []) as Issues;
  return (
    <div className="grid gap-8 lg:grid-cols-2">
      <Section title={t.campaigns.checklist}>
        <ul className="panel divide-y divide-line">
          {CHECKS.map((code) => {
            const issue = issues.find((one) => one.code === code);
            return (
              <li key={code} className="flex items-start gap-3 px-4 py-2">
                <Icon
                  name={issue ? 'warning' : 'check'}
                  className={`mt-0.5 shrink-0 ${issue ? 'text-warn' : 'text-good'}`}
                />
                <span className={issue ? '' : 'text-ink-3'}>
                  {t.campaigns.checks[code]}
                  {issue && <span className="block text-sm text-warn">{issue.message}</span>}
                </span>
              </li>
            );
          })}
        </ul>
      </Section>
      <div>
        <CampaignTrialForm campaign={campaign} />
        <Test campaign={campaign} />
        <Send campaign={campaign} isReady={issues.length === 0} />
      </div>
    </div>
  );
}

function Test({ campaign }: { campaign: Campaign }) {
  const account = useAccount();
  const { member } = useSession();
  const [to, setTo] = useState(member.email);
  const test = useAction(
    () =>
      read(
        api.POST('/v2/accounts/{account_id}/campaigns/{campaign_id}/test-send', {
          params: { path: { ...account, campaign_id: campaign.id }, header: once() },
          body: { to: to.split(/[\s,]+/).filter((one) => one !== '') },
        }),
      ),
    {
      quiet: true,
      done: ({ data }) => {
        const failed = data.find(({ error }) => error);
        if (failed) notify(failed.error ?? '', 'bad');
        else notify(t.templates.testSent(to));
      },
    },
  );
  return (
    <Section title={t.campaigns.test} lead={t.campaigns.testText}>
      <div className="flex items-end gap-2">
        <div className="flex-1">
          <Input
            label={t.messages.recipient}
            value={to}
            onChange={(event) => setTo(event.target.value)}
            error={test.error?.message}
          />
        </div>
        <Button busy={test.isPending} onClick={() => test.mutate(undefined)}>
          {t.templates.send}
        </Button>
      </div>
    </Section>
  );
}

function Send({ campaign, isReady }: { campaign: Campaign; isReady: boolean }) {
  const account = useAccount();
  const maySend = useCan('campaigns:send');
  const [at, setAt] = useState('');
  const send = useAction(
    () =>
      read(
        api.POST('/v2/accounts/{account_id}/campaigns/{campaign_id}/send', {
          params: { path: { ...account, campaign_id: campaign.id }, header: once() },
          body: at === '' ? {} : { send_at: new Date(at).toISOString() },
        }),
      ),
    {
      changes: [['campaigns']],
      quiet: true,
      done: () => notify(at === '' ? t.campaigns.started : t.campaigns.scheduled),
    },
  );
  return (
    <Section title={t.campaigns.send} lead={t.campaigns.sendText}>
      <div className="flex flex-col gap-3">
        <Input
          label={t.campaigns.at}
          hint={t.campaigns.atHint}
          type="datetime-local"
          value={at}
          onChange={(event) => setAt(event.target.value)}
          error={send.error?.message}
        />
        <div>
          <Button
            look="primary"
            busy={send.isPending}
            disabled={!isReady || !maySend}
            onClick={() => send.mutate(undefined)}
          >
            {at === '' ? t.campaigns.sendNow : t.campaigns.schedule}
          </Button>
        </div>
        <Curl method="POST" path={`/campaigns/${campaign.id}/send`} body={{}} />
      </div>
    </Section>
  );
}
