import { useState } from 'react';
import { useAction } from '../api/pages';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { CodeBlock, Value } from '../ui/copy';
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

/** Repeats the calls that did not succeed since a time. */
export function Recover({ run }: { run: (since: string | undefined) => Promise<unknown> }) {
  const [isOpen, setOpen] = useState(false);
  const [hours, setHours] = useState('24');
  const recover = useAction(
    () => run(hours === 'all' ? undefined : new Date(Date.now() - Number(hours) * 3_600_000).toISOString()),
    {
      changes: [['webhooks'], ['routes']],
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

/** Shown once: the server keeps no readable copy. */
export function SecretOnce({
  title,
  rows,
  onClose,
}: {
  title: string;
  rows: readonly (readonly [string, string])[];
  onClose: () => void;
}) {
  return (
    <Modal title={title} onClose={onClose}>
      <p className="mb-4 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">{t.shownOnce}</p>
      <Facts rows={rows.map(([name, value]) => [name, <Value key={name} text={value} label={name} />])} />
      <ModalActions>
        <Button look="primary" onClick={onClose}>
          {t.storedIt}
        </Button>
      </ModalActions>
    </Modal>
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

/** Domains that an endpoint or a key is limited to, one per line or separated by commas. */
export const splitDomains = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '');
