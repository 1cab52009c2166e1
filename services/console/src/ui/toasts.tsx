import { Toast } from '@base-ui/react/toast';
import { t } from '../words/words';
import { Dot, type Tone } from './badge';
import { IconButton } from './button';

const manager = Toast.createToastManager();
const UNDO_MS = 6_000;

export function notify(title: string, tone: Tone = 'good'): void {
  manager.add({
    title,
    type: tone,
    ...(tone === 'bad' ? { priority: 'high' as const, timeout: 10_000 } : {}),
  });
}

/** After something that can be made undone: a button that does it. */
export function notifyWithUndo(title: string, undo: () => void): void {
  const id = manager.add({
    title,
    type: 'plain',
    timeout: UNDO_MS,
    actionProps: {
      children: t.undo,
      onClick: () => {
        undo();
        manager.close(id);
      },
    },
  });
}

const waiting = new Map<string, () => void>();
// a browser gives a page that is hidden little time, and phones have no `beforeunload`
for (const leaving of ['beforeunload', 'pagehide'])
  addEventListener(leaving, () => {
    for (const run of waiting.values()) run();
  });

/**
 * For something that has no way back: it runs after a few seconds unless the reader undoes it, and at once when the page is left.
 */
export function runUnlessUndone(title: string, run: () => void, undone: () => void): void {
  let isOver = false;
  const finish = (then: () => void) => {
    if (isOver) return;
    isOver = true;
    waiting.delete(id);
    then();
  };
  const id = manager.add({
    title,
    type: 'plain',
    timeout: UNDO_MS,
    onClose: () => finish(run),
    actionProps: {
      children: t.undo,
      onClick: () => {
        finish(undone);
        manager.close(id);
      },
    },
  });
  waiting.set(id, () => finish(run));
}

function ToastList() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="panel arrive flex w-full items-center gap-3 py-2 pr-2 pl-4 text-sm shadow-float"
    >
      <Dot tone={(toast.type ?? 'plain') as Tone} />
      <Toast.Title render={<p className="flex-1 break-words" />} />
      <Toast.Action className="rounded-md px-2 py-1 font-medium text-accent hover:bg-accent-soft empty:hidden" />
      <Toast.Close render={<IconButton icon="close" label={t.close} />} />
    </Toast.Root>
  ));
}

export function Toasts() {
  return (
    <Toast.Provider toastManager={manager}>
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 left-4 z-50 flex flex-col gap-2 sm:left-auto sm:w-96">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}
