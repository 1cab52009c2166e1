import { useEffect, useState } from 'react';
import { useAction } from '../api/pages';
import { t } from '../words/words';

const SAVE_MS = 900;

/**
 * Writes what is edited after a pause without a change: no button has to be pressed.
 * @param wanted what is edited, as one text
 */
export function useAutosave(
  wanted: string,
  {
    write,
    mayWrite,
    changes,
  }: { write: () => Promise<unknown>; mayWrite: boolean; changes: readonly (readonly unknown[])[] },
) {
  const [stored, setStored] = useState(wanted);
  const [saves, setSaves] = useState(0);
  const save = useAction((_text: string) => write(), {
    changes,
    quiet: true,
    done: (_answer, text) => {
      setStored(text);
      setSaves((count) => count + 1);
    },
  });
  const { mutate } = save;
  useEffect(() => {
    if (wanted === stored || !mayWrite) return;
    const timer = setTimeout(() => mutate(wanted), SAVE_MS);
    return () => clearTimeout(timer);
  }, [wanted, stored, mayWrite, mutate]);
  const isSaved = wanted === stored;
  return { isSaved, isSaving: save.isPending, error: isSaved ? null : save.error, saves, setStored };
}

/** The state of the last change. */
export function SaveState({
  of: { isSaved, isSaving, error },
  saved,
}: {
  of: Pick<ReturnType<typeof useAutosave>, 'isSaved' | 'isSaving' | 'error'>;
  saved: string;
}) {
  const state = isSaving ? t.templates.saving : isSaved ? saved : t.templates.unsaved;
  return (
    <p role="status" className="text-sm text-ink-3">
      {error ? <span className="text-bad">{error.message}</span> : state}
    </p>
  );
}
