import { lazy, Suspense, useState } from 'react';
import { MailFrame } from '../messages/mail-frame';
import { Button } from '../ui/button';
import { Tabs } from '../ui/page';
import { Check, Select, TextArea } from '../ui/field';
import { Skeleton } from '../ui/states';
import { t } from '../words/words';
import { designOfCode } from './blocks.rules';
import { inLanguage, type Content } from './content.rules';

const CodeEditor = lazy(() => import('./code-editor'));
const BlockEditor = lazy(() => import('./block-editor'));

type Language = keyof typeof t.editor.languages;

/** The source of a design and its text. */
export function ContentEditor({
  content,
  change,
  readOnly = false,
  isFixed,
}: {
  content: Content;
  change: (content: Content) => void;
  readOnly?: boolean;
  /** the design has an editor already, which never changes */
  isFixed: boolean;
}) {
  const [part, choose] = useState('code');
  const { language } = content;
  const isBlocks = language === 'blocks';
  return (
    <div className="flex h-full flex-col">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <Tabs
          label={t.editor.parts}
          current={part}
          choose={choose}
          tabs={[
            { id: 'code', label: t.editor.languages[language] },
            ...(isBlocks && !content.isForeign ? [{ id: 'source', label: t.editor.source }] : []),
            { id: 'text', label: t.message.text },
          ]}
        />
        {!isFixed && (
          <Select
            label={t.editor.language}
            bare
            className="w-auto"
            disabled={readOnly}
            options={Object.entries(t.editor.languages)}
            value={language}
            onChange={(event) => change(inLanguage(content, event.target.value as Language))}
          />
        )}
      </div>
      {part === 'text' ? (
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
      ) : isBlocks && (part === 'code' || content.isForeign) ? (
        <Blocks content={content} change={change} readOnly={readOnly} />
      ) : (
        <div className="panel h-[60dvh] overflow-hidden">
          <Suspense fallback={<Skeleton />}>
            <CodeEditor
              label={isBlocks ? t.editor.source : t.editor.languages[language]}
              isMarkup={!isBlocks}
              value={content.code}
              readOnly={readOnly}
              onChange={(code) => change({ ...content, code })}
            />
          </Suspense>
        </div>
      )}
    </div>
  );
}

function Blocks({
  content,
  change,
  readOnly,
}: {
  content: Content;
  change: (content: Content) => void;
  readOnly: boolean;
}) {
  if (content.isForeign)
    return (
      <div className="panel flex flex-col items-start gap-3 px-4 py-3">
        <p className="text-ink-2">{t.editor.madeElsewhere}</p>
        {!readOnly && (
          <Button onClick={() => change({ ...content, isForeign: false, code: '' })}>
            {t.editor.beginAnew}
          </Button>
        )}
      </div>
    );
  if (designOfCode(content.code) === undefined)
    return (
      <p role="alert" className="panel px-4 py-3 text-bad">
        {t.editor.badSource}
      </p>
    );
  return (
    <Suspense fallback={<Skeleton />}>
      <BlockEditor
        code={content.code}
        readOnly={readOnly}
        onChange={(code) => change({ ...content, code })}
      />
    </Suspense>
  );
}

interface Preview {
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
  readonly issues: readonly { code: string; message: string }[];
}

const PHONE = '375px';

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
          { id: 'dark', label: t.message.dark },
          { id: 'text', label: t.message.text },
        ]}
      />
      {preview.subject !== '' && (
        <p className="mb-2 text-sm">
          <span className="text-ink-3">{t.messages.subject}</span>{' '}
          <span className="font-medium">{preview.subject}</span>
        </p>
      )}
      <Issues issues={preview.issues} />
      {mode === 'text' ? (
        <pre className="panel h-[60dvh] overflow-auto p-4 font-sans whitespace-pre-wrap" tabIndex={0}>
          {preview.text ?? t.none}
        </pre>
      ) : preview.html === null ? (
        <p className="panel px-4 py-3 text-ink-2">{t.editor.noHtml}</p>
      ) : (
        <MailFrame
          html={preview.html}
          width={mode === 'phone' ? PHONE : '100%'}
          look={mode === 'dark' ? 'dark' : 'light'}
        />
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
