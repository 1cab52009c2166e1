import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { back, read, type ConsoleSchemas } from '../api/client';
import { CodeBlock, Value } from '../ui/copy';
import { Facts, Section, Tabs } from '../ui/page';
import { Loaded } from '../ui/states';
import { t } from '../words/words';
import { SMTP_SAMPLES } from './smtp-samples';

type Settings = ConsoleSchemas['SmtpSettings'];

/** Where this installation takes submissions: its gateway says it. */
export const useSmtpSettings = () =>
  useQuery({
    queryKey: ['smtp-settings'],
    queryFn: () => read(back.GET('/console/api/smtp-settings')),
    staleTime: Infinity,
  });

/** Names and values, as programs ask for them. */
export const settingRows = ({
  host,
  ports: [port, ...others],
  encryption,
  login,
}: Settings): [string, string][] => [
  [t.smtp.host, host],
  [t.smtp.port, String(port)],
  ...(others.length > 0 ? [[t.smtp.otherPorts, others.join(', ')] satisfies [string, string]] : []),
  [t.smtp.encryption, encryption],
  [t.smtp.login, login.join(', ')],
];

export function SmtpSettings() {
  return <Loaded query={useSmtpSettings()}>{(settings) => <Settings of={settings} />}</Loaded>;
}

function Settings({ of: settings }: { of: Settings }) {
  const [program, choose] = useState('swaks');
  const sample = SMTP_SAMPLES.find(({ id }) => id === program);
  return (
    <>
      <Section title={t.smtp.settings} lead={t.smtp.settingsText}>
        <div className="panel max-w-xl p-4">
          <Facts
            rows={settingRows(settings).map(([name, value]) => [
              name,
              <Value key={name} text={value} label={name} />,
            ])}
          />
          {settings.self_signed && <p className="mt-3 text-sm text-warn">{t.smtp.selfSigned}</p>}
        </div>
      </Section>
      <Section title={t.smtp.samples} lead={t.smtp.samplesText}>
        <Tabs
          label={t.smtp.samples}
          tabs={SMTP_SAMPLES.map(({ id }) => ({ id, label: id }))}
          current={program}
          choose={choose}
        />
        {sample && <CodeBlock text={sample.text(settings)} label={sample.id} />}
      </Section>
    </>
  );
}
