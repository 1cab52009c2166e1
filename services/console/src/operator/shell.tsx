import { useSuspenseQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { PageFrame } from '../app/page-frame';
import { PersonMenu } from '../app/person-menu';
import { notify } from '../ui/toasts';
import { sessionQuery, signOut } from './api';
import { useCommands } from './commands';
import { PLACES } from './navigation';
import { w } from './words';

const Title = () => (
  <p className="flex items-center gap-2 py-1.5 font-semibold md:px-2">
    <img src="/console/mark.svg" alt="" width="24" height="24" />
    {w.title}
  </p>
);

function OperatorMenu() {
  const { operator, idle_minutes } = useSuspenseQuery(sessionQuery).data;
  const { history } = useRouter();
  const leave = () =>
    void signOut()
      .then(() => history.push('/console/sign-in'))
      .catch((error: Error) => notify(error.message, 'bad'));
  return (
    <PersonMenu
      name={operator}
      header={
        <>
          <span className="block text-sm text-ink">{operator}</span>
          {w.idle(idle_minutes)}
        </>
      }
      entries={[{ label: w.signOut, onSelect: leave }]}
    />
  );
}

export function Shell() {
  return (
    <PageFrame
      places={PLACES}
      head={<Title />}
      foot={<OperatorMenu />}
      useCommands={useCommands}
      placeholder={w.command.placeholder}
    />
  );
}
