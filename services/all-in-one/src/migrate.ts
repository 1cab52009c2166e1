// node services/all-in-one/dist/migrate.js [service …]: runs the migrations of these services, or of all, and ends.
// Settings are those of the services. Exit code 0 when every database has the schema of this release.
import { createLogger } from '@postmesh/observability';
import { migrateServices } from '@postmesh/service-host';
import { loadSettings } from '@postmesh/settings';
import { INNER_SERVICES } from './services.js';

const names = process.argv.slice(2);
const unknown = names.find((name) => INNER_SERVICES.every((service) => service.name !== name));
if (unknown !== undefined) {
  throw new Error(
    `there is no service '${unknown}'; there are ${INNER_SERVICES.map(({ name }) => name).join(', ')}`,
  );
}
const wanted =
  names.length === 0 ? INNER_SERVICES : INNER_SERVICES.filter(({ name }) => names.includes(name));
const settings = loadSettings();
await migrateServices(wanted, settings, createLogger(settings, 'migrate'));
process.stdout.write(`migrated ${wanted.map(({ name }) => name).join(' ')}\n`);
