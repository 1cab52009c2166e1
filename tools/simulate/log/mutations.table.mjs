// @ts-check
// Faults of the log, its readers and the relay that decisions tell of, put back in the built code.

const EVENTS = 'libs/events/dist';

/** @type {readonly import('../module-hooks.mjs').Mutation[]} */
export const MUTATIONS = [
  {
    name: 'gaps-are-passed',
    decision: 19,
    fault: 'transactions append to one stream without a lock, so that positions become visible out of order',
    file: `${EVENTS}/log/log-tables.js`,
    changes: [['perform pg_advisory_xact_lock(727003, hashtext(${lockOf(schema)}));', 'perform 1;']],
  },
  {
    name: 'events-without-their-change',
    decision: 19,
    fault: 'the events of a transaction are written outside of it',
    file: `${EVENTS}/outbox.js`,
    changes: [
      [
        '(text, values) => queryRunner.query(text, values)',
        '(text, values) => dataSource.query(text, values)',
      ],
    ],
  },
  {
    name: 'savepoints-publish',
    decision: 19,
    fault: 'events of a savepoint that is rolled back are published',
    file: `${EVENTS}/outbox.js`,
    changes: [['pending?.events.splice(start);', '']],
  },
  {
    name: 'positions-apart-from-effects',
    decision: 19,
    fault: 'the position is moved outside of the transaction of the effects',
    file: `${EVENTS}/consumption/event-consumption.js`,
    changes: [
      [
        'const moving = this.positions.move(tx, entries);',
        'const moving = this.positions.move(this.options.dataSource, entries);',
      ],
    ],
  },
  {
    name: 'handled-meanwhile',
    decision: 19,
    fault: 'a process that has lost its turn handles what another one has handled meanwhile',
    file: `${EVENTS}/positions.js`,
    changes: [['if (moved === stretches.length)', 'if (moved >= 0)']],
  },
  {
    name: 'positions-go-back',
    decision: 19,
    fault: 'a position is moved wherever it is',
    file: `${EVENTS}/positions.js`,
    changes: [[' and p.position = moved.after`;', '`;']],
  },
  {
    name: 'each-start-begins-anew',
    decision: 19,
    fault: 'a reader begins at the first event again',
    file: `${EVENTS}/positions.js`,
    changes: [['case when p.log = excluded.log then p.position else 0 end', '0']],
  },
  {
    name: 'failed-batches-are-passed',
    decision: 19,
    fault: 'a reader continues behind a batch that failed',
    file: `${EVENTS}/log/group-reader.js`,
    changes: [['if (!(await this.handle(client, batch)))', 'if ((await this.handle(client, batch), false))']],
  },
  {
    name: 'positions-are-not-read-again',
    decision: 19,
    fault: 'a reader whose commit had no answer repeats its batch from the old position for ever',
    file: `${EVENTS}/log/group-reader.js`,
    changes: [
      [
        `if (!this.stopped)
            await this.loadPositions(client);
        return false;`,
        'return false;',
      ],
    ],
  },
  {
    name: 'silent-readers-stay',
    decision: 19,
    fault: 'a process that hangs keeps the turn of its group',
    file: `${EVENTS}/log/group-turn.js`,
    changes: [['await client.query(END_SILENT, [group, leaseMs]);', '']],
  },
  {
    name: 'all-have-the-turn',
    decision: 19,
    fault: 'every process of a group reads for it',
    file: `${EVENTS}/log/group-turn.js`,
    changes: [['if (rows[0]?.mine)', 'if (rows[0])']],
  },
  {
    name: 'the-fastest-group-trims',
    decision: 117,
    fault: 'the log is trimmed up to the group that is ahead',
    file: `${EVENTS}/log/trim-log.js`,
    changes: [['select min(g.position)', 'select max(g.position)']],
  },
  {
    name: 'nothing-is-trimmed',
    decision: 72,
    fault: 'a trim ends before it removes anything',
    file: `${EVENTS}/log/trim-log.js`,
    changes: [['oldest.position <= b.passed and (', 'oldest.position < 0 and (']],
  },
  {
    name: 'another-version-is-passed',
    decision: 89,
    fault: 'the statement leaves out events that the group handles',
    file: `${EVENTS}/log/event-log.js`,
    changes: [['handles?.map(startOf)', 'handles?.slice(0, 1).map(startOf)']],
  },
  {
    name: 'passed-events-come-again',
    decision: 89,
    fault: 'the position of a group stays before events that it does not handle',
    file: `${EVENTS}/log/event-log.js`,
    changes: [['where found.is_whole or found.position = reach.last', 'where found.is_whole']],
  },
  {
    name: 'keys-are-overtaken',
    decision: 19,
    fault: 'an event of a key joins a run before an earlier one of another type',
    file: `${EVENTS}/consumption/runs.rules.js`,
    changes: [['open !== undefined && open >= (lastRunOfKey.get(key) ?? 0)', 'open !== undefined']],
  },
  {
    name: 'transient-failures-kill',
    decision: 20,
    fault: 'an event is given up after a failure that is none of its own',
    file: `${EVENTS}/consumption/failure-policy.rules.js`,
    changes: [
      [
        "transient: { inPlacePausesMs: [], lastly: 'redeliver' }",
        "transient: { inPlacePausesMs: [], lastly: 'isolate' }",
      ],
    ],
  },
  {
    name: 'long-batches-come-again',
    decision: 20,
    fault: 'a batch that took too long is delivered again unchanged, for ever',
    file: `${EVENTS}/consumption/failure-policy.rules.js`,
    changes: [["lastly: 'halve' }", "lastly: 'redeliver' }"]],
  },
  {
    name: 'races-kill',
    decision: 20,
    fault: 'an event has no second try',
    file: `${EVENTS}/consumption/failure-policy.rules.js`,
    changes: [['bug: { inPlacePausesMs: [200, 1_000]', 'bug: { inPlacePausesMs: []']],
  },
  {
    name: 'only-the-first-half',
    decision: 20,
    fault: 'the second half of a batch that took too long is dropped',
    file: `${EVENTS}/consumption/event-consumption.js`,
    changes: [
      [
        `for (const half of halves(entries))
        await commitOrGiveUp(half, attempt);`,
        'await commitOrGiveUp(halves(entries)[0], attempt);',
      ],
    ],
  },
  {
    name: 'aborted-is-handled',
    decision: 20,
    fault: 'a consumer that swallows an error of the database leaves its events without effect',
    file: `${EVENTS}/consumption/event-consumption.js`,
    changes: [['await refuseAborted(tx);', '']],
  },
  {
    name: 'no-dead-letters',
    decision: 20,
    fault: 'an event that is given up is in no table',
    file: `${EVENTS}/consumption/event-consumption.js`,
    changes: [['await writeDeadLetters(tx, this.options.service, dead);', '']],
  },
  {
    name: 'crash-loops-go-on',
    decision: 87,
    fault: 'an event ends its processes for ever',
    file: `${EVENTS}/consumption/crash-suspects.rules.js`,
    changes: [['MAX_CRASHES = 5', 'MAX_CRASHES = 50']],
  },
  {
    name: 'neighbours-are-set-aside',
    decision: 87,
    fault: 'events stay together in flight after each crash, and are all given up',
    file: `${EVENTS}/consumption/crash-suspects.rules.js`,
    changes: [['MOST_TOGETHER[crashes] ?? ALONE', '25']],
  },
  {
    name: 'crashes-are-not-noted',
    decision: 87,
    fault: 'events in flight are noted in the transaction that their crash rolls back',
    file: `${EVENTS}/consumption/crash-watch.js`,
    changes: [['await this.note(ids);', '']],
  },
  {
    name: 'published-before-it-is',
    decision: 117,
    fault: 'the position of the relay moves before the brokers have the events',
    file: `${EVENTS}/relay.js`,
    changes: [
      ['await this.options.bus.publish(events);', 'this.options.bus.publish(events).catch(() => undefined);'],
    ],
  },
  {
    name: 'repeats-are-handled',
    decision: 8,
    fault: 'an event that comes again has its effect again',
    file: `${EVENTS}/inbox.js`,
    changes: [['fresh.delete(`${entry.consumer?.name} ${entry.eventId.toLowerCase()}`)', 'true']],
  },
  {
    name: 'kafka-never-repeats',
    decision: 8,
    fault: 'what comes from Kafka is not looked for in the inbox',
    file: `${EVENTS}/kafka/kafka-consumer.js`,
    changes: [['mayRepeat: true', 'mayRepeat: false']],
  },
  {
    name: 'offsets-come-first',
    decision: 3,
    fault: 'a member commits its offsets before it has handled the events',
    file: `${EVENTS}/kafka/merged-batches.js`,
    changes: [
      ['await this.deliver(slice);', 'await this.commit(slice);'],
      [
        `await this.commit(slice);
        this.options.alive();`,
        `await this.deliver(slice);
        this.options.alive();`,
      ],
    ],
  },
  {
    name: 'failures-are-confirmed',
    decision: 3,
    fault: 'the offset of a batch that failed is committed when a rebalance begins',
    file: `${EVENTS}/kafka/merged-batches.js`,
    changes: [['throw this.lost ?? error;', 'return;']],
  },
  {
    name: 'groups-begin-at-the-end',
    decision: 3,
    fault: 'a new group begins behind what was published before it',
    file: `${EVENTS}/kafka/kafka-consumer.js`,
    changes: [['fromBeginning: true', 'fromBeginning: false']],
  },
  {
    name: 'keys-are-spread',
    decision: 3,
    fault: 'events of one key go to any partition',
    file: `${EVENTS}/kafka/kafka-bus.js`,
    changes: [['key: event.key', 'key: event.id']],
  },
  {
    name: 'lost-topics-stay-lost',
    decision: 68,
    fault: 'topics that were lost are not made again while a process runs',
    file: `${EVENTS}/kafka/topics.js`,
    changes: [
      [
        `doubt() {
        this.areKnown = false;`,
        'doubt() {',
      ],
    ],
  },
  {
    name: 'lost-events-stay-lost',
    decision: 73,
    fault: 'the events of a topic that was lost are not published again',
    file: `${EVENTS}/lost-streams.js`,
    changes: [['if (String(found) !== mark)', 'if (mark === undefined)']],
  },
  {
    name: 'only-what-is-new-is-published-again',
    decision: 117,
    fault: 'a lost stream is read again from where its relay is',
    file: `${EVENTS}/lost-streams.js`,
    changes: [
      [
        'republished = 0,',
        'republished = (select position from groups g where g.stream = m.stream and g.consumer_group = $4),',
      ],
    ],
  },
  {
    name: 'replaced-topics-are-not-seen',
    decision: 68,
    fault: 'a member that was busy while a topic was lost continues at its old offset in the new one',
    file: `${EVENTS}/kafka/replaced-topics.js`,
    changes: [['if (!this.isInDoubt)', 'if (this.topics)']],
  },
  {
    name: 'unready-until-the-next-event',
    decision: 182,
    fault: 'a lost stream waits until its service publishes something else, once a publish has failed',
    file: `${EVENTS}/lost-streams.js`,
    changes: [['async look(signal) {', 'async look(signal) { if (!this.options.bus.ready()) return;']],
  },
];
