import { useMemo } from 'react';
import type { Schemas } from '../api/client';
import { useSession } from '../api/session';
import { Button } from '../ui/button';
import { CodeBlock } from '../ui/copy';
import { Facts, Section, Tabs } from '../ui/page';
import { Empty } from '../ui/states';
import { t } from '../words/words';
import { MailFrame } from './mail-frame';

type Message = Schemas['MessageRecord'];
type Attachment = NonNullable<Message['content_parsed']>['attachments'][number];

/** Longer sources are shown up to here, and downloaded whole. */
const MOST_SHOWN = 200_000;

export function MessageContent({
  message,
  tab,
  choose,
}: {
  message: Message;
  tab: string;
  choose: (tab: string) => void;
}) {
  const { contents } = useSession();
  const parsed = message.content_parsed;
  if (!contents)
    return (
      <Section title={t.message.content}>
        <Empty title={t.message.closed} />
      </Section>
    );
  if (!parsed || message.content === undefined)
    return (
      <Section title={t.message.content}>
        <Empty title={t.message.gone}>{t.message.goneText}</Empty>
      </Section>
    );
  const partOf = (type: string) =>
    parsed.parts.find(({ content_type }) => content_type.startsWith(type))?.content;
  const [html, text] = [partOf('text/html'), partOf('text/plain')];
  const tabs = [
    ...(html === undefined
      ? []
      : [
          { id: 'html', label: t.message.html },
          { id: 'dark', label: t.message.dark },
        ]),
    ...(text === undefined ? [] : [{ id: 'text', label: t.message.text }]),
    { id: 'headers', label: t.message.headers },
    { id: 'source', label: t.message.source },
    ...(parsed.attachments.length > 0
      ? [{ id: 'attachments', label: t.message.attachments(parsed.attachments.length) }]
      : []),
  ];
  const current = tabs.some(({ id }) => id === tab) ? tab : (tabs[0]?.id ?? 'source');
  return (
    <Section title={t.message.content}>
      <Tabs tabs={tabs} current={current} choose={choose} label={t.message.content} />
      <div role="tabpanel" aria-labelledby={`tab-${current}`}>
        {(current === 'html' || current === 'dark') && html !== undefined && (
          <MailFrame html={html} look={current === 'dark' ? 'dark' : 'light'} />
        )}
        {current === 'text' && (
          <pre className="panel overflow-x-auto p-4 font-sans whitespace-pre-wrap">{text}</pre>
        )}
        {current === 'headers' && (
          <div className="panel p-4">
            <Facts
              rows={Object.entries(parsed.headers).map(([name, values]) => [
                name,
                <span key={name} className="font-mono text-xs break-all whitespace-pre-wrap">
                  {values.join('\n')}
                </span>,
              ])}
            />
          </div>
        )}
        {current === 'source' && <Source text={message.content} name={message.id} />}
        {current === 'attachments' && <Attachments all={parsed.attachments} />}
      </div>
    </Section>
  );
}

function Source({ text, name }: { text: string; name: string }) {
  return (
    <div className="flex flex-col gap-2">
      <div>
        <Button onClick={() => save(new Blob([text], { type: 'message/rfc822' }), `${name}.eml`)}>
          {t.message.download}
        </Button>
      </div>
      <CodeBlock text={text.slice(0, MOST_SHOWN)} label={t.message.source} />
    </div>
  );
}

function Attachments({ all }: { all: readonly Attachment[] }) {
  const sizes = useMemo(() => all.map(({ content }) => Math.round((content.length * 3) / 4 / 1_024)), [all]);
  return (
    <ul className="panel divide-y divide-line">
      {all.map((one, index) => (
        <li key={index} className="flex items-center justify-between gap-3 px-4 py-2">
          <span className="min-w-0 truncate">
            {one.filename || t.message.unnamed}{' '}
            <span className="text-xs text-ink-3">
              {one.content_type}, {sizes[index]} KiB
            </span>
          </span>
          <Button onClick={() => save(blobOf(one), one.filename || 'attachment')}>
            {t.message.download}
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** Never with its own type: the browser keeps it, and opens nothing. */
function blobOf({ content }: Attachment): Blob {
  const bytes = Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
  return new Blob([bytes], { type: 'application/octet-stream' });
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}
