import { stopOnSignal } from '@postmesh/service-host';
import { startAllInOne } from './all-in-one.js';

try {
  const running = await startAllInOne((why) => {
    process.stderr.write(`${why}; stopping, so that a supervisor starts this process again\n`);
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  });
  stopOnSignal(() => running.stop(), running.stopMs);
  // scripts wait for the first line; the others are for people
  process.stdout.write([running.readyLine, ...running.hints, ''].join('\n'));
} catch (error) {
  process.stderr.write(`postmesh cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
