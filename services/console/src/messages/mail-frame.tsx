import { useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../ui/button';
import { t } from '../words/words';
import { hasDarkLook, inLook, type Look } from './mail-look.rules';

/**
 * The HTML of a message, in two frames: the outer one is a page of its own with a policy of its own and no access to this one,
 * the inner one may run, submit and open nothing. Remote images stay away until the reader asks for them.
 */
export function MailFrame({
  html,
  width = '100%',
  look = 'light',
}: {
  html: string;
  width?: string;
  look?: Look;
}) {
  const [withImages, setWithImages] = useState(false);
  const frame = useRef<HTMLIFrameElement>(null);
  const shown = useMemo(() => inLook(html, look), [html, look]);
  const hasRemote =
    /\bsrc\s*=\s*["']?https?:|(?<!@import\s+)url\(\s*["']?https?:|background\s*=\s*["']?https?:/i.test(html);
  useEffect(() => {
    const send = ({ source, data }: MessageEvent) => {
      const target = frame.current?.contentWindow;
      // the frame has an origin that nothing else has, so that no other page reads this
      if (target && source === target && data === 'ready') target.postMessage(shown, '*');
    };
    addEventListener('message', send);
    frame.current?.contentWindow?.postMessage(shown, '*');
    return () => removeEventListener('message', send);
  }, [shown]);
  return (
    <div>
      {look === 'dark' && (
        <p className="mb-2 text-xs text-ink-3">
          {hasDarkLook(html) ? t.message.darkStyles : t.message.noDarkStyles}
        </p>
      )}
      {hasRemote && (
        <p className="mb-2 flex flex-wrap items-center gap-2 text-xs text-ink-3">
          {withImages ? t.message.imagesShown : t.message.imagesHidden}
          <Button look="quiet" className="min-h-6 px-2" onClick={() => setWithImages(!withImages)}>
            {withImages ? t.message.hideImages : t.message.showImages}
          </Button>
        </p>
      )}
      <iframe
        key={String(withImages)}
        ref={frame}
        title={t.message.html}
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
        src={`/console/mail-frame${withImages ? '-images' : ''}.html`}
        style={{ width }}
        className="panel mx-auto block h-[65dvh] max-w-full bg-white"
      />
    </div>
  );
}
