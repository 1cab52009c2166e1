// Stops the PostgreSQL of the tests when it has been idle for a while. Started detached by
// src/database/test-server.ts, which writes {url, pid, lock} to its stdin (an argument would show the
// password in the list of processes). One watches at a time: it holds the lock.
import { createRequire } from 'node:module';
import { setTimeout as nap } from 'node:timers/promises';
import { text } from 'node:stream/consumers';

const pg = createRequire(import.meta.url)('pg');
const { url, pid, lock, idleMs = 600_000, everyMs = 15_000 } = JSON.parse(await text(process.stdin));

const client = new pg.Client({ connectionString: url });
// another process stopped the server: nothing is left to watch
client.on('error', () => process.exit(0));
await client.connect();

const { rows } = await client.query('select pg_try_advisory_lock($1) as mine', [lock]);
if (!rows[0].mine) process.exit(0);

// The count of sessions ever opened includes those between two polls.
const look = async () => {
  const found = await client.query(
    `select (select sum(sessions) from pg_stat_database)::text as opened,
            (select count(*) from pg_stat_activity
              where backend_type = 'client backend' and pid <> pg_backend_pid())::int as present`,
  );
  return found.rows[0];
};

let opened = '';
let idleSince = Date.now();
while (Date.now() - idleSince < idleMs) {
  await nap(everyMs);
  const now = await look();
  if (now.present > 0 || now.opened !== opened) idleSince = Date.now();
  opened = now.opened;
}
// fast shutdown; its end closes our own connection
process.kill(pid, 'SIGINT');
