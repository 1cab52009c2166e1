import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Empty, Loaded } from '../ui/states';
import { t } from '../words/words';
import { useSegments } from './segments';

/** The segments: an account has 100 at most. */
export default function SegmentList({ add }: { add: ReactNode }) {
  return (
    <Loaded query={useSegments()}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title={t.segments.none} action={add}>
            {t.segments.noneText}
          </Empty>
        ) : (
          <ul className="panel divide-y divide-line">
            {data.map(({ id, name, contacts }) => (
              <li key={id} className="flex items-center justify-between gap-4 px-4 py-3">
                <Link
                  to="/audience/segments/$segmentId"
                  params={{ segmentId: id }}
                  className="min-w-0 truncate font-medium text-accent hover:underline"
                >
                  {name}
                </Link>
                <span className="shrink-0 text-sm text-ink-3">
                  {contacts === null ? t.segments.notCounted : t.lists.contactCount(contacts)}
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
