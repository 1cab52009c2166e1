// node services/all-in-one/dist/migrate.js [service …]: runs the migrations of these services, else of all, and ends.
// Settings are those of the services. Exit code 0 when every database is as this release wants it.
import { DELIVERY_WORKER_SERVICE } from '@postmesh/delivery-worker';
import { createLogger } from '@postmesh/observability';
import { migrateServices } from '@postmesh/service-host';
import { loadSettings } from '@postmesh/settings';
import { INNER_SERVICES } from './all-in-one.js';

const all = [...INNER_SERVICES, DELIVERY_WORKER_SERVICE];
const names = process.argv.slice(2);
const unknown = names.find((name) => all.every((service) => service.name !== name));
if (unknown !== undefined) {
  throw new Error(`there is no service '${unknown}'; there are ${all.map(({ name }) => name).join(', ')}`);
}
const wanted = names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
const settings = loadSettings();
await migrateServices(wanted, settings, createLogger(settings, 'migrate'));
process.stdout.write(`migrated ${wanted.map(({ name }) => name).join(' ')}\n`);
