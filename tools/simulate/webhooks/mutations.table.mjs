// @ts-check
// Faults of webhooks that decisions tell of, put back in the built code.

const WEBHOOKS = 'services/webhooks/dist';
const DISPATCHER = 'services/webhook-dispatcher/dist';

/** @type {readonly import('../module-hooks.mjs').Mutation[]} */
export const MUTATIONS = [
  {
    name: 'requested-again',
    decision: 8,
    fault: 'an event that comes again is requested again',
    file: 'libs/events/dist/inbox.js',
    changes: [['fresh.delete(`${entry.consumer?.name} ${entry.eventId.toLowerCase()}`)', 'true']],
  },
  {
    name: 'pieces-are-overtaken',
    decision: 50,
    fault: 'events overtake those of their account that are published in pieces',
    file: `${WEBHOOKS}/request-calls/matching.rules.js`,
    changes: [['!behind && calls', 'calls']],
  },
  {
    name: 'two-have-one-turn',
    decision: 50,
    fault: 'two processes publish the same pieces',
    file: `${WEBHOOKS}/fan-outs/fan-outs.js`,
    changes: [['return row?.held === true;', 'return row !== undefined;']],
  },
  {
    name: 'pieces-are-cut',
    decision: 50,
    fault: 'an event with more webhooks than a piece has is published to the first of them',
    file: `${WEBHOOKS}/fan-outs/fan-out-turns.js`,
    changes: [
      ['await this.fanOuts.toldUntil(tx, first, last.id);', 'await this.fanOuts.remove(tx, [first]);'],
    ],
  },
  {
    name: 'disabled-ones-are-called',
    decision: 96,
    fault: 'the events of a disabled webhook are requested as if it were enabled',
    file: `${WEBHOOKS}/request-calls/call-requests.js`,
    changes: [['missed: !listener.enabled,', 'missed: false,']],
  },
  {
    name: 'missed-events-are-forgotten',
    decision: 96,
    fault: 'what a disabled webhook misses is not kept',
    file: `${DISPATCHER}/intake/on-webhook-delivery-requested.consumer.js`,
    changes: [['if (missed.length > 0)', 'if (missed.length < 0)']],
  },
  {
    name: 'a-stop-drops',
    decision: 51,
    fault: 'calls that wait when their webhook is disabled are not kept',
    file: `${DISPATCHER}/record/ended-deliveries.js`,
    changes: [['this.isKept ? MOVE : DROP', '`${DROP}, $1::uuid[] as kept`']],
  },
  {
    name: 'targets-are-kept',
    decision: 18,
    fault: 'a target is kept for minutes, so that stopped webhooks are called',
    file: `${DISPATCHER}/attempt/endpoint-targets.js`,
    changes: [['KEEP_MS = 3_000', 'KEEP_MS = 300_000']],
  },
  {
    name: 'successes-are-recovered',
    decision: 96,
    fault: 'a recovery calls what has succeeded',
    file: `${DISPATCHER}/replay/replay-deliveries.js`,
    changes: [["else outcome <> 'succeeded' and recovered_at is null end", 'else true end']],
  },
  {
    name: 'recovered-again-and-again',
    decision: 96,
    fault: 'a second recovery calls what the first one has brought',
    file: `${DISPATCHER}/record/attempt-recorder.js`,
    changes: [['await this.ended.recovered(manager, settled);', '']],
  },
  {
    name: 'recovered-while-pending',
    decision: 96,
    fault: 'a recovery makes calls again that it has made pending',
    survives: 'too rare: not found in 49 lives',
    file: `${DISPATCHER}/replay/replay-deliveries.js`,
    changes: [['!is_pending', 'is_pending !== undefined']],
  },
  {
    name: 'replays-have-another-id',
    decision: 51,
    fault: 'a replay has another header webhook-id',
    file: `${DISPATCHER}/replay/replay-deliveries.js`,
    changes: [['webhook_message_id: ended.webhook_message_id,', 'webhook_message_id: `msg_${newId()}`,']],
  },
  {
    name: 'disabled-by-count',
    decision: 96,
    fault: 'an endpoint is disabled by the number of its failures',
    file: `${WEBHOOKS}/count-calls/call-counters.rules.js`,
    changes: [['MIN_FAILURES && failedForMs >= disableAfterMs', 'MIN_FAILURES && failedForMs >= 0']],
  },
  {
    name: 'never-disabled',
    decision: 96,
    fault: 'an endpoint that fails for days is not disabled',
    file: `${WEBHOOKS}/count-calls/call-counters.rules.js`,
    changes: [['failedForMs >= disableAfterMs', 'failedForMs >= 1e12']],
  },
  {
    name: 'enabled-with-its-past',
    decision: 96,
    fault: 'an endpoint that is enabled again is disabled by failures before that',
    file: `${WEBHOOKS}/endpoints/update-endpoint.js`,
    changes: [['...(fields.enabled && !now.enabled ? NEVER_FAILED : {}),', '']],
  },
  {
    name: 'set-aside-and-lost',
    decision: 72,
    fault: 'deliveries beyond the bound of an account are not kept',
    file: `${DISPATCHER}/backlog/set-aside-deliveries.js`,
    changes: [
      [
        "await this.ended.keepRequested(manager, events, 'set-aside')",
        'await this.ended.keepRequested(manager, [], "set-aside")',
      ],
    ],
  },
  {
    name: 'set-aside-for-ever',
    decision: 72,
    fault: 'deliveries that were set aside are not made when their account is below its bound',
    file: `${DISPATCHER}/backlog/set-aside-deliveries.js`,
    changes: [['this.backlog.afterLook((signal) => this.replayDue(signal));', '']],
  },
  {
    name: 'ends-are-not-kept',
    decision: 51,
    fault: 'a delivery whose tries are used up is not kept',
    file: `${DISPATCHER}/record/attempt-recorder.js`,
    changes: [['await this.ended.keep(manager, settled, this.clock.date());', '']],
  },
  {
    name: 'matched-by-the-clock-of-the-process',
    decision: 63,
    fault: 'an event is older than a webhook by the time of day of another process',
    survives: 'too rare: not found in 55 lives',
    file: `${WEBHOOKS}/fan-outs/fan-outs.js`,
    changes: [['const matched_at = await databaseNow(tx);', 'const matched_at = new Date();']],
  },
  {
    name: 'ended-by-the-clock-of-the-process',
    decision: 63,
    fault: 'a recovery selects by the time of day of the process that made the attempt',
    file: `${DISPATCHER}/record/attempt-recorder.js`,
    changes: [
      [
        'await this.ended.keep(manager, settled, this.clock.date());',
        'await this.ended.keep(manager, settled, new Date());',
      ],
    ],
  },
];
