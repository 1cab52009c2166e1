// @ts-check
// Faults that decisions tell of, put back in the built code: a simulator that does not find them proves nothing. Each is
// loaded in the place of lines of one module, no file is changed.

const WORK = 'libs/work/dist/leased-queue';
const WORKER = 'services/delivery-worker/dist';

/** @type {readonly import('../module-hooks.mjs').Mutation[]} */
export const MUTATIONS = [
  {
    name: 'silence-is-death',
    decision: 69,
    fault: 'a worker without a heartbeat for ten seconds loses its rows, though its lease runs',
    file: `${WORK}/statements.js`,
    changes: [
      [
        'or ($3 and leased_until < now())',
        `or ($3 and leased_until < now()) or exists (select from workers w where w.id = q.lease_owner
          and w.heartbeat_at <= now() - make_interval(secs => $1))`,
      ],
    ],
  },
  {
    name: 'late-result-dropped',
    decision: 69,
    fault: 'a result that comes after its row was freed is thrown away',
    file: `${WORK}/statements.js`,
    changes: [
      ["or (q.state <> 'leased' and q.lease_token = given.token + 1))`", ')`'],
      ["or (given.id = q.id and q.state <> 'leased' and q.lease_token > given.token))`", ')`'],
    ],
  },
  {
    name: 'no-wait-for-the-second-attempt',
    decision: 69,
    fault: 'a late final result does not wait for the attempt of another worker',
    file: `${WORK}/leased-queue.js`,
    changes: [['if (tries > LATE_TRIES ||', 'if (tries > 0 ||']],
  },
  {
    name: 'leases-are-not-renewed',
    decision: 69,
    fault: 'an attempt that is longer than its lease is taken from a worker that lives',
    file: `${WORK}/worker-lease.js`,
    changes: [['if (ids.length > 0)', 'if (ids.length < 0)']],
  },
  {
    name: 'leases-run-out-in-an-outage',
    decision: 69,
    fault: 'after an outage of the database leases of living workers count as expired',
    file: `${WORK}/worker-lease.js`,
    changes: [['return performance.now() - this.lateAt > WORKER_SILENCE_S * 1_000;', 'return true;']],
  },
  {
    name: 'death-is-not-asked-for',
    decision: 69,
    fault: 'the rows of a dead process of the same machine wait for the end of their lease',
    file: `${WORK}/worker-lease.js`,
    changes: [['dead.push(id)', 'void id']],
  },
  {
    name: 'another-machine-is-asked',
    decision: 84,
    fault: 'a process of another machine counts as dead, as it does not run on this one',
    file: `${WORK}/worker-lease.js`,
    changes: [['if (where === space && !(await', 'if (where !== "" && !(await']],
  },
  {
    name: 'budgets-begin-anew',
    decision: 144,
    fault: 'what was used of the hour of a new address is forgotten',
    file: `${WORKER}/warm-up/budget-rows.js`,
    changes: [
      [
        'case when hour = ${HOUR} then hour_used else 0 end as hour_used',
        'case when hour > ${HOUR} then hour_used else 0 end as hour_used',
      ],
    ],
  },
  {
    name: 'crash-loop',
    decision: 69,
    fault: 'a message that brings its worker down is tried again for ever',
    file: `${WORK}/worker-lease.js`,
    changes: [['crashes >= MAX_CRASHES', 'crashes < 0']],
  },
  {
    name: 'abandoned-without-a-word',
    decision: 69,
    fault: 'an attempt whose worker died is not recorded',
    file: `${WORKER}/record/attempt-recorder.js`,
    changes: [['deliveries.map(abandoned).filter(({ isSilent }) => !isSilent)', '[]']],
  },
  {
    name: 'abandoned-does-not-count',
    decision: 69,
    fault: 'the attempt of a worker that died is repeated under the same number',
    file: `${WORKER}/queue/deliveries.table.js`,
    changes: [['countsAbandoned: true', 'countsAbandoned: false']],
  },
  {
    name: 'session-lost-is-a-bug',
    decision: 69,
    fault: 'the end of a session between two statements counts as a bug, and the result is discarded',
    file: 'libs/contracts/dist/failure.js',
    changes: [
      [
        'Connection terminated|timeout exceeded when trying to connect|is not queryable|Query runner already released|provided by a query runner was already released',
        'timeout exceeded when trying to connect',
      ],
    ],
  },
  {
    name: 'released-as-not-attempted',
    decision: 69,
    fault: 'a row in flight is given back as if its attempt had not begun',
    file: `${WORK}/leased-queue.js`,
    changes: [['[...kept, ...this.unknownEnds, ...this.intakes.ids()]', '[]']],
  },
  {
    name: 'lost-claims-are-kept',
    decision: 69,
    fault: 'rows of a claim whose answer was lost wait for their lease, and count as attempts',
    file: `${WORK}/leased-queue.js`,
    changes: [['return this.unconfirmedClaims > this.resolvedClaims;', 'return false;']],
  },
  {
    name: 'intake-is-given-back',
    decision: 69,
    fault: 'rows that an intake is about to begin are given back',
    survives: 'too rare: not found in 150 lives',
    file: `${WORK}/leased-queue.js`,
    changes: [['...this.unknownEnds, ...this.intakes.ids()]', '...this.unknownEnds]']],
  },
  {
    name: 'results-are-not-tried-again',
    decision: 69,
    fault: 'a result that met an outage of the database is dropped',
    file: `${WORK}/recorder.js`,
    changes: [["failureKind(error) !== 'transient' || ", "failureKind(error) === 'transient' || "]],
  },
  {
    name: 'foreign-results',
    decision: 69,
    fault: 'a result is recorded without the lease',
    file: `${WORK}/statements.js`,
    changes: [
      [
        "given.id = q.id and q.lease_owner = $1\n  and ((q.state = 'leased' and q.lease_token = given.token)",
        'given.id = q.id and ((q.lease_token >= given.token)',
      ],
    ],
  },
  {
    name: 'published-without-its-lease',
    decision: 69,
    fault: 'the event of a result is published though its lease is lost',
    file: `${WORKER}/record/attempt-recorder.js`,
    changes: [['own[nth] && !record.isSilent', '!record.isSilent']],
  },
  {
    name: 'a-start-does-not-wait',
    decision: 86,
    fault: 'a start that meets an outage of the database ends the process',
    file: `${WORK}/leased-queue.js`,
    changes: [
      [
        'await retryTransient(() => this.lease.start(), { what: table.name, logger });',
        'await this.lease.start();',
      ],
    ],
  },
  {
    name: 'a-start-waits-a-second',
    decision: 86,
    fault: 'a start gives its database a second',
    file: 'libs/database/dist/retry-transient.js',
    changes: [['LIMIT_MS = 60_000', 'LIMIT_MS = 1_000']],
  },
  {
    name: 'handled-twice',
    decision: 8,
    fault: 'an event that comes again is handled again',
    file: 'libs/events/dist/inbox.js',
    changes: [['fresh.delete(`${entry.consumer?.name} ${entry.eventId.toLowerCase()}`)', 'true']],
  },
  {
    name: 'cancel-without-lock',
    decision: 31,
    fault: 'a cancel does not wait for a claim of the same row',
    survives: 'too rare: not found in 150 lives',
    file: `${WORKER}/cancel/cancel-deliveries.js`,
    changes: [['order by id for update', 'order by id']],
  },
  {
    name: 'cancel-after-attempts',
    decision: 31,
    fault: 'a message that waits for its second attempt is canceled',
    file: `${WORKER}/cancel/cancel-deliveries.js`,
    changes: [['attempts === 0 && ', '']],
  },
  {
    name: 'cancel-of-the-ended',
    decision: 31,
    fault: 'a message that has ended is said to be canceled',
    file: `${WORKER}/cancel/cancel-deliveries.js`,
    changes: [['for (const id of finished)', 'for (const id of [])']],
  },
  {
    name: 'claims-do-not-lock',
    decision: 37,
    fault: 'a claim takes a row that another has taken since it was read',
    survives: 'a claim is one statement, and the scheduler executes statements whole',
    file: `${WORK}/claim.sql.js`,
    changes: [
      [
        "where q.id = fitting.id and q.state = 'ready' for update skip locked",
        'where q.id = fitting.id for update',
      ],
    ],
  },
  {
    name: 'places-are-not-counted',
    decision: 37,
    fault: 'claims do not know what is in flight',
    file: `${WORK}/places.js`,
    changes: [
      ['this.groups.occupy(row.key);', ''],
      ['this.groups.release(row.key);', ''],
    ],
  },
  {
    name: 'an-account-takes-all-places',
    decision: 37,
    fault: 'one account may have all places of a worker',
    file: `${WORK}/places.js`,
    changes: [
      ['this.accounts.occupy(row.accountId);', ''],
      ['this.accounts.release(row.accountId);', ''],
    ],
  },
  {
    name: 'suspended-accounts-send',
    decision: 27,
    fault: 'an attempt does not look at the state of its account',
    file: `${WORKER}/attempt/delivery-attempt.js`,
    changes: [['const reason = suspensionReason(delivery.accountState);', 'const reason = undefined;']],
  },
  {
    name: 'no-end-of-the-window',
    decision: 63,
    fault: 'an attempt does not look whether its time is over',
    file: `${WORKER}/attempt/delivery-attempt.js`,
    changes: [['if (end.at <= startedAt) {', 'if (end.at < new Date(0)) {']],
  },
  {
    name: 'due-by-the-clock-of-the-process',
    decision: 63,
    fault: 'due times come from the time of day of the process',
    file: 'libs/database/dist/database-clock.js',
    changes: [['return this.readMs + performance.now() - this.readAt;', 'return Date.now();']],
  },
  {
    name: 'a-stop-gives-back-what-is-sent',
    decision: 77,
    fault: 'a stop gives back rows that are with a server',
    file: `${WORKER}/attempt/delivery-attempt.js`,
    changes: [['return !this.unasked.has(id);', 'return false;']],
  },
  {
    name: 'resumed-mail-stays',
    decision: 72,
    fault: 'messages of an account that may send again stay suspended',
    file: `${WORKER}/account-changes/suspend-deliveries.js`,
    changes: [['await this.inBatches(signal, RESUME, [BATCH]);', '']],
  },
];

/** Decisions of the issue whose faults are outside of a delivery's life, and the test that has them. */
export const ELSEWHERE = [
  {
    decision: 67,
    why: 'the process of PostgreSQL itself: libs/database/src/embedded-postgres/watch.int.spec.ts',
  },
  { decision: 71, why: 'memory of request bodies: services/gateway/src/forward' },
];
