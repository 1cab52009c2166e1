import { stopOnSignal } from '@postmesh/service-host';
import { startAllInOne } from './all-in-one.js';

try {
  const running = await startAllInOne((role) => {
    process.stderr.write(
      `${role} ended unexpectedly; stopping, so that whoever watches starts everything again\n`,
    );
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  });
  stopOnSignal(() => running.stop());
  // scripts wait for the first line, the others are for people
  process.stdout.write([`postmesh ready ${running.baseUrl}`, ...running.hints, ''].join('\n'));
} catch (error) {
  process.stderr.write(`postmesh cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
