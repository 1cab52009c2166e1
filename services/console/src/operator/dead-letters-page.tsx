import { useQuery } from '@tanstack/react-query';
import { CodeBlock } from '../ui/copy';
import { Page, Section } from '../ui/page';
import { Loaded } from '../ui/states';
import { notify } from '../ui/toasts';
import { call, get } from './api';
import { Act, At, Code } from './parts';
import { w } from './words';

interface DeadLetter {
  id: string;
  consumer: string;
  event_id: string;
  stream: string;
  pattern: string | null;
  kind: string;
  reason: string;
  /** as it came */
  envelope: string;
  died_at: string;
}

const KEY = ['dead-letters'] as const;
const REFRESH_MS = 15_000;

function Replay({ label, body }: { label: string; body: { consumer: string; ids?: string[] } }) {
  const replay = async () => {
    const { replayed, failed } = await call<{ replayed: number; failed: number }>(
      'POST',
      'dead-letters/replay',
      body,
    );
    notify(w.deadLetters.replayed(replayed, failed), failed === 0 ? 'good' : 'bad');
  };
  return <Act label={label} run={replay} changes={[KEY]} done={() => undefined} />;
}

export function DeadLettersPage() {
  const query = useQuery({
    queryKey: KEY,
    queryFn: () => get<{ dead_letters: DeadLetter[] }>('dead-letters'),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page title={w.nav.deadLetters} lead={w.deadLetters.lead}>
      <Loaded query={query}>
        {({ dead_letters: given }) =>
          given.length === 0 ? (
            <p className="panel px-4 py-3 text-ink-2">{w.deadLetters.none}</p>
          ) : (
            [...new Set(given.map(({ consumer }) => consumer))].map((consumer) => (
              <Section
                key={consumer}
                title={consumer}
                actions={<Replay label={w.deadLetters.replayAll(consumer)} body={{ consumer }} />}
              >
                <ul className="panel divide-y divide-line">
                  {given
                    .filter((one) => one.consumer === consumer)
                    .map((one) => (
                      <GivenUp key={one.id} of={one} />
                    ))}
                </ul>
              </Section>
            ))
          )
        }
      </Loaded>
    </Page>
  );
}

function GivenUp({
  of: { id, consumer, event_id, pattern, stream, reason, envelope, died_at },
}: {
  of: DeadLetter;
}) {
  return (
    <li className="px-4 py-3">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <p className="font-medium break-words">{pattern ?? stream}</p>
          <p className="break-words text-bad">{reason}</p>
          <p className="text-xs text-ink-3">
            {w.deadLetters.died} <At at={died_at} /> · <Code>{event_id}</Code>
          </p>
        </div>
        <Replay label={w.deadLetters.replay} body={{ consumer, ids: [id] }} />
      </div>
      <details className="mt-2">
        <summary className="py-1 text-xs text-ink-3 hover:text-ink">{w.deadLetters.look}</summary>
        <CodeBlock text={readable(envelope)} label={w.deadLetters.event} />
      </details>
    </li>
  );
}

/** JSON with a line for each field; a record that is no JSON stays as it came. */
function readable(envelope: string): string {
  try {
    return JSON.stringify(JSON.parse(envelope), null, 2);
  } catch {
    return envelope;
  }
}
