import { openParcels, startCourier } from './sample-queue.js';

/** A worker in a process of its own, to be killed: it claims due rows and never finishes an attempt. */
const courier = await startCourier(
  await openParcels(process.argv[2] ?? ''),
  (item) => {
    process.stdout.write(`${item.id}\n`);
    return new Promise(() => undefined);
  },
  { concurrency: 20 },
);
process.once('SIGTERM', () => void courier.stop());
