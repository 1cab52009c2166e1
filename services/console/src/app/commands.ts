import { useNavigate } from '@tanstack/react-router';
import { t } from '../words/words';
import { ID, placeCommands, type Command } from './command-menu';
import { useParts, usePlaces, type Place } from './navigation';

/** Pages by name, a message by its id, and everything about an address. */
export function useCommands(text: string, onClose: () => void): Command[] {
  const navigate = useNavigate();
  const after = (go: Promise<void>) => {
    onClose();
    void go;
  };
  const places = placeCommands(usePlaces(), text, (to) => after(navigate({ to: to as Place['to'] })));
  const wanted = text.toLowerCase();
  const parts = useParts()
    .filter(({ label }) => wanted !== '' && label.toLowerCase().includes(wanted))
    .map(({ to, tab, label, icon }) => ({
      id: `${to}-${tab}`,
      label,
      icon,
      run: () => after(navigate({ to, search: { tab } })),
    }));
  const about: Command[] =
    text.includes('@') && !ID.test(text)
      ? [
          {
            id: 'about',
            label: t.command.about(text),
            icon: 'search',
            run: () => after(navigate({ to: '/about/$address', params: { address: text } })),
          },
        ]
      : [];
  const message: Command[] = ID.test(text)
    ? [
        {
          id: 'message',
          label: t.command.message,
          note: text.slice(0, 13),
          icon: 'messages',
          run: () => after(navigate({ to: '/messages/$messageId', params: { messageId: text } })),
        },
      ]
    : [];
  const subject: Command[] =
    text.length >= 2
      ? [
          {
            id: 'subject',
            label: t.command.subject(text),
            icon: 'messages',
            run: () => after(navigate({ to: '/messages', search: { subject: text } })),
          },
        ]
      : [];
  return [...about, ...message, ...places, ...parts, ...subject];
}
