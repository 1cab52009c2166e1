import { lazy, Suspense, useState } from 'react';
import { MailFrame } from '../messages/mail-frame';
import { Tabs } from '../ui/page';
import { Check, Select, TextArea } from '../ui/field';
import { Skeleton } from '../ui/states';
import { t } from '../words/words';

const CodeEditor = lazy(() => import('./code-editor'));

export interface Content {
  readonly language: 'mjml' | 'html';
  readonly code: string;
  readonly text: string;
  /** else the text is made from the HTML by the server */
  readonly textIsCustom: boolean;
}

interface Given {
  readonly mjml?: string;
  readonly html?: string;
  readonly text?: string;
  readonly text_is_custom: boolean;
}

export const contentOf = (given: Given | null): Content => ({
  language: given?.mjml === undefined && given?.html !== undefined ? 'html' : 'mjml',
  code: given?.mjml ?? given?.html ?? '',
  text: given?.text ?? '',
  textIsCustom: given?.text_is_custom ?? false,
});

export const bodyOf = ({ language, code, text, textIsCustom }: Content) => ({
  ...(code.trim() === '' ? {} : { [language]: code }),
  ...(textIsCustom ? { text, text_is_custom: true } : { text_is_custom: false }),
});

/** The source of a design and its text. */
export function ContentEditor({
  content,
  change,
  readOnly = false,
}: {
  content: Content;
  change: (content: Content) => void;
  readOnly?: boolean;
}) {
  const [part, choose] = useState('code');
  return (
    <div className="flex h-full flex-col">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <Tabs
          label={t.editor.parts}
          current={part}
          choose={choose}
          tabs={[
            { id: 'code', label: content.language === 'mjml' ? 'MJML' : 'HTML' },
            { id: 'text', label: t.message.text },
          ]}
        />
        <Select
          label={t.editor.language}
          bare
          className="w-auto"
          disabled={readOnly}
          options={[
            ['mjml', 'MJML'],
            ['html', 'HTML'],
          ]}
          value={content.language}
          onChange={(event) =>
            change({ ...content, language: event.target.value === 'html' ? 'html' : 'mjml' })
          }
        />
      </div>
      {part === 'code' ? (
        <div className="panel h-[60dvh] overflow-hidden">
          <Suspense fallback={<Skeleton />}>
            <CodeEditor
              label={content.language === 'mjml' ? 'MJML' : 'HTML'}
              value={content.code}
              readOnly={readOnly}
              onChange={(code) => change({ ...content, code })}
            />
          </Suspense>
        </div>
      ) : (
        <>
          <Check
            label={t.editor.ownText}
            hint={t.editor.ownTextHint}
            disabled={readOnly}
            checked={content.textIsCustom}
            onChange={(event) => change({ ...content, textIsCustom: event.target.checked })}
          />
          <TextArea
            label={t.message.text}
            bare
            rows={18}
            disabled={readOnly || !content.textIsCustom}
            value={content.text}
            onChange={(event) => change({ ...content, text: event.target.value })}
          />
        </>
      )}
    </div>
  );
}

interface Preview {
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
  readonly issues: readonly { code: string; message: string }[];
}

const WIDTHS = { desktop: '100%', phone: '375px' } as const;

/** As a recipient would get it. */
export function PreviewPane({ preview }: { preview: Preview }) {
  const [mode, choose] = useState<string>('desktop');
  return (
    <div>
      <Tabs
        label={t.editor.preview}
        current={mode}
        choose={choose}
        tabs={[
          { id: 'desktop', label: t.editor.desktop },
          { id: 'phone', label: t.editor.phone },
          { id: 'text', label: t.message.text },
        ]}
      />
      <p className="mb-2 text-sm">
        <span className="text-ink-3">{t.messages.subject}</span>{' '}
        <span className="font-medium">{preview.subject}</span>
      </p>
      <Issues issues={preview.issues} />
      {mode === 'text' ? (
        <pre className="panel h-[60dvh] overflow-auto p-4 font-sans whitespace-pre-wrap" tabIndex={0}>
          {preview.text ?? t.none}
        </pre>
      ) : preview.html === null ? (
        <p className="panel px-4 py-3 text-ink-2">{t.editor.noHtml}</p>
      ) : (
        <MailFrame html={preview.html} width={WIDTHS[mode === 'phone' ? 'phone' : 'desktop']} />
      )}
    </div>
  );
}

/** The points to set right before it can be published or sent. */
export function Issues({ issues }: { issues: readonly { code: string; message: string }[] }) {
  if (issues.length === 0) return null;
  return (
    <ul
      className="mb-3 flex flex-col gap-1 rounded-md bg-warn-soft px-4 py-3 text-sm text-warn"
      aria-label={t.editor.issues}
    >
      {issues.map(({ code, message }, index) => (
        <li key={`${code} ${index}`}>{message}</li>
      ))}
    </ul>
  );
}
