import { useQuery } from '@tanstack/react-query';
import { Facts, Page, Section } from '../ui/page';
import { Loaded } from '../ui/states';
import { get } from './api';
import { Code, Table } from './parts';
import { w } from './words';

interface Installation {
  versions: { api: string; node: string; system: string };
  settings: Record<string, unknown>;
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

export function InstallationPage() {
  const query = useQuery({ queryKey: ['installation'], queryFn: () => get<Installation>('installation') });
  return (
    <Page title={w.nav.installation} lead={w.installation.lead}>
      <Loaded query={query}>
        {({ versions, settings }) => (
          <>
            <Section title={w.installation.versions}>
              <div className="panel max-w-xl p-4">
                <Facts
                  rows={[
                    [w.installation.api, versions.api],
                    [w.installation.node, versions.node],
                    [w.installation.system, versions.system],
                  ]}
                />
              </div>
            </Section>
            <Section title={w.installation.settings} lead={w.installation.settingsText}>
              <Table
                label={w.installation.settings}
                rows={Object.entries(settings)}
                keyOf={([name]) => name}
                empty={w.installation.none}
                columns={[
                  { title: w.installation.name, cell: ([name]) => <Code>{name}</Code> },
                  { title: w.installation.value, cell: ([, value]) => <Code>{shown(value)}</Code> },
                ]}
              />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}
