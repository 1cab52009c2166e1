import { useId, useLayoutEffect, useRef, type ReactNode } from 'react';
import { t } from '../words/words';
import { IconButton } from './button';

/** The browser's own dialog: it keeps the focus inside, closes on Escape, and gives the focus back. */
export function Modal({
  title,
  onClose,
  children,
  wide = false,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // closed while it is still in the document: else the focus is lost
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
      className={`panel arrive max-h-[92dvh] w-[calc(100vw-1.5rem)] overflow-y-auto p-0 shadow-float ${wide ? 'max-w-3xl' : 'max-w-lg'}`}
    >
      <div className="flex items-center justify-between gap-3 border-b border-line px-5 py-3">
        <h2 id={id} className="text-base font-semibold">
          {title}
        </h2>
        <IconButton icon="close" label={t.close} onClick={onClose} />
      </div>
      <div className="px-5 py-4">{children}</div>
    </dialog>
  );
}

export function ModalActions({ children }: { children: ReactNode }) {
  return <div className="mt-5 flex flex-wrap justify-end gap-2">{children}</div>;
}
