import { useState } from 'react';
import { back, read } from '../api/client';
import { useAction } from '../api/pages';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { CodeBlock } from '../ui/copy';
import { Select } from '../ui/field';
import { Modal, ModalActions } from '../ui/modal';
import { Facts, Section, Tabs } from '../ui/page';
import { Time } from '../ui/times';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { healthOf } from './webhook-events';
import { SAMPLES } from './signature-samples';

type Counters = Parameters<typeof healthOf>[0];

export function HealthBadge({ of }: { of: Counters }) {
  const { tone, label } = healthOf(of);
  return <Badge tone={tone}>{label}</Badge>;
}

export function HealthPanel({ of }: { of: Counters }) {
  const { tone, text } = healthOf(of);
  return (
    <div className="panel p-4">
      <p className={`mb-3 ${tone === 'bad' ? 'text-bad' : tone === 'warn' ? 'text-warn' : ''}`}>{text}</p>
      <Facts
        rows={[
          [t.webhooks.successes, of.success_count.toLocaleString('en')],
          [t.webhooks.errors, of.error_count.toLocaleString('en')],
          [t.webhooks.errorsInRow, of.errors_since_last_success.toLocaleString('en')],
          [
            t.webhooks.lastCall,
            of.last_request_at === null ? t.never : <Time key="last" at={of.last_request_at} />,
          ],
        ]}
      />
    </div>
  );
}

/** How long ago deliveries are kept at most. */
const ALL_DAYS = 365;

/** Repeats the calls since a time: those without success, or all. */
export function Recover({ endpointId }: { endpointId: string }) {
  const [isOpen, setOpen] = useState(false);
  const [hours, setHours] = useState('24');
  const [kind, setKind] = useState<'recover' | 'all'>('recover');
  const recover = useAction(
    () => {
      const ago = (hours === 'all' ? ALL_DAYS * 24 : Number(hours)) * 3_600_000;
      return read(
        back.POST('/console/api/endpoints/{endpoint_id}/replays', {
          params: { path: { endpoint_id: endpointId } },
          body: { kind, since: new Date(Date.now() - ago).toISOString() },
        }),
      );
    },
    {
      changes: [['webhooks'], ['routes'], ['deliveries']],
      done: () => {
        notify(t.webhooks.recovering);
        setOpen(false);
      },
    },
  );
  return (
    <>
      <Button icon="refresh" onClick={() => setOpen(true)}>
        {t.webhooks.recover}
      </Button>
      {isOpen && (
        <Modal title={t.webhooks.recover} onClose={() => setOpen(false)}>
          <p className="mb-4 text-ink-2">{t.webhooks.recoverText}</p>
          <Select
            label={t.webhooks.which}
            options={t.webhooks.kinds}
            value={kind}
            onChange={(event) => setKind(event.target.value === 'all' ? 'all' : 'recover')}
          />
          <Select
            label={t.webhooks.since}
            options={t.webhooks.periods}
            value={hours}
            onChange={(event) => setHours(event.target.value)}
          />
          <ModalActions>
            <Button onClick={() => setOpen(false)}>{t.cancel}</Button>
            <Button look="primary" busy={recover.isPending} onClick={() => recover.mutate(undefined)}>
              {t.webhooks.recover}
            </Button>
          </ModalActions>
        </Modal>
      )}
    </>
  );
}

export function SignatureSamples() {
  const [language, choose] = useState('node');
  return (
    <Section title={t.webhooks.verify} lead={t.webhooks.verifyText}>
      <Tabs
        label={t.webhooks.verify}
        tabs={SAMPLES.map(({ id, label }) => ({ id, label }))}
        current={language}
        choose={choose}
      />
      <CodeBlock text={SAMPLES.find(({ id }) => id === language)?.text ?? ''} label={t.webhooks.verify} />
    </Section>
  );
}
