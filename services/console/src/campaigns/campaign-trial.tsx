import { useState, type FormEvent } from 'react';
import { back, read } from '../api/client';
import { useAction } from '../api/pages';
import { useCan } from '../api/session';
import { Button, IconButton } from '../ui/button';
import { Input, Select } from '../ui/field';
import { Section } from '../ui/page';
import { Loaded } from '../ui/states';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { useTemplateNames } from './campaign-templates';
import type { Campaign } from './campaign-states';
import { useTrial, type CampaignTrial, type Trial } from './trials';

const MAX_VARIANTS = 3;
const FIRST: Trial = {
  metric: 'opened',
  share: 20,
  wait_minutes: 240,
  variants: [{ subject: '', template_id: null }],
};

/** Variants of a draft: which subject or content works better. */
export function CampaignTrialForm({ campaign }: { campaign: Campaign }) {
  const query = useTrial(campaign.id);
  return (
    <Section title={t.trials.title} lead={t.trials.lead}>
      <Loaded query={query}>
        {(loaded) => <Settings key={JSON.stringify(loaded.trial)} loaded={loaded} />}
      </Loaded>
    </Section>
  );
}

const orNull = (text: string | null) => (text === null || text.trim() === '' ? null : text.trim());

function Settings({ loaded }: { loaded: CampaignTrial }) {
  const mayWrite = useCan('campaigns:write');
  const [trial, setTrial] = useState(loaded.trial);
  const save = useAction(
    (next: Trial | null) =>
      read(
        back.PUT('/console/api/campaigns/{campaign_id}/trial', {
          params: { path: { campaign_id: loaded.campaign_id } },
          body: {
            trial: next && {
              ...next,
              variants: next.variants.map((one) => ({ ...one, subject: orNull(one.subject) })),
            },
          },
        }),
      ),
    { changes: [['campaign-trial']], quiet: true, done: () => notify(t.saved) },
  );
  if (trial === null)
    return (
      <Button icon="plus" disabled={!mayWrite} onClick={() => setTrial(FIRST)}>
        {t.trials.add}
      </Button>
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(trial);
  };
  return (
    <form onSubmit={submit} className="panel p-5">
      <fieldset disabled={!mayWrite} className="flex min-w-0 flex-col gap-4">
        <Variants variants={trial.variants} change={(variants) => setTrial({ ...trial, variants })} />
        <Rules trial={trial} change={setTrial} />
        {save.error && (
          <p role="alert" className="text-bad">
            {save.error.message}
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" busy={save.isPending}>
            {t.save}
          </Button>
          <Button onClick={() => (loaded.trial === null ? setTrial(null) : save.mutate(null))}>
            {t.trials.remove}
          </Button>
        </div>
      </fieldset>
    </form>
  );
}

function Variants({
  variants,
  change,
}: {
  variants: Trial['variants'];
  change: (next: Trial['variants']) => void;
}) {
  const names = useTemplateNames();
  const put = (at: number, next?: Trial['variants'][number]) =>
    change(variants.flatMap((one, nth) => (nth === at ? (next ? [next] : []) : [one])));
  return (
    <>
      {variants.map((variant, at) => {
        const { subject, template_id: id } = variant;
        const isKnown = id === null || names.some(([one]) => one === id);
        return (
          <fieldset key={at} className="flex min-w-0 flex-col gap-2">
            <legend className="mb-1 flex items-center gap-2 text-sm font-medium">
              {t.trials.variant(at + 1)}
              {variants.length > 1 && (
                <IconButton icon="trash" label={t.trials.removeVariant(at + 1)} onClick={() => put(at)} />
              )}
            </legend>
            <Input
              label={t.messages.subject}
              hint={t.trials.subjectHint}
              required={id === null}
              maxLength={998}
              value={subject ?? ''}
              onChange={(event) => put(at, { ...variant, subject: event.target.value })}
            />
            <Select
              label={t.message.content}
              options={[
                ['', t.trials.ownContent],
                ...(isKnown ? [] : [[id, t.trials.goneTemplate] as const]),
                ...names,
              ]}
              value={id ?? ''}
              onChange={(event) => put(at, { ...variant, template_id: orNull(event.target.value) })}
            />
          </fieldset>
        );
      })}
      {variants.length < MAX_VARIANTS && (
        <div>
          <Button icon="plus" onClick={() => change([...variants, { subject: '', template_id: null }])}>
            {t.trials.addVariant}
          </Button>
        </div>
      )}
    </>
  );
}

function Rules({ trial, change }: { trial: Trial; change: (next: Trial) => void }) {
  const number = (text: number, max: number) => Math.min(max, Math.max(1, Math.round(text || 1)));
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      <Select
        label={t.trials.metric}
        options={[
          ['opened', t.trials.metrics.opened],
          ['clicked', t.trials.metrics.clicked],
        ]}
        value={trial.metric}
        onChange={(event) => change({ ...trial, metric: event.target.value as Trial['metric'] })}
      />
      <Input
        label={t.trials.share}
        type="number"
        min={1}
        max={100}
        value={String(trial.share)}
        onChange={(event) => change({ ...trial, share: number(event.target.valueAsNumber, 100) })}
      />
      <Input
        label={t.trials.wait}
        type="number"
        min={1}
        max={10_080}
        value={String(trial.wait_minutes)}
        onChange={(event) => change({ ...trial, wait_minutes: number(event.target.valueAsNumber, 10_080) })}
      />
    </div>
  );
}
