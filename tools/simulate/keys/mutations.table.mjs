// @ts-check
// Faults of idempotency keys that decisions tell of, put back in the built code.

const KEYS = 'libs/service-host/dist/idempotency';

/** @type {readonly import('../module-hooks.mjs').Mutation[]} */
export const MUTATIONS = [
  {
    name: 'overtaken-runs-commit',
    decision: 17,
    fault: 'a run that another has overtaken commits its effect',
    file: `${KEYS}/idempotency.js`,
    changes: [['if (stored.size < kept.length)', 'if (false)']],
  },
  {
    name: 'responses-without-their-token',
    decision: 17,
    fault: 'a late run stores its response over that of its successor',
    file: `${KEYS}/stored-responses.js`,
    changes: [[' and record.token = ended.token\n      and record.status is null', '']],
  },
  {
    name: 'own-claims-are-not-known',
    decision: 70,
    fault: 'a claim whose answer was lost meets itself, and waits',
    survives: 'a group of claims is tried again only after an error that one of them may have caused',
    file: `${KEYS}/idempotency.rules.js`,
    changes: [["if (!record.completed && record.token === asked.token)\n        return 'own';", '']],
  },
  {
    name: 'dead-runs-keep-their-key',
    decision: 70,
    fault: 'the key of a process that ended waits for its lease',
    file: `${KEYS}/claims.js`,
    changes: [
      [
        "const HOLDER = 'case when wanted.secret then null else $7::integer end';",
        "const HOLDER = 'case when $7::integer is null then null else null::integer end';",
      ],
    ],
  },
  {
    name: 'completed-keys-of-the-dead-are-free',
    decision: 70,
    fault: 'the response of a process that ended is forgotten',
    file: `${KEYS}/claims.js`,
    changes: [
      [
        '`(case when ${record}.status is null then ${markIsGone(`${record}.holder`)} else false end)`',
        'markIsGone(`${record}.holder`)',
      ],
    ],
  },
  {
    name: 'release-takes-anything',
    decision: 17,
    fault: 'a failed run releases the key of its successor',
    file: `${KEYS}/stored-responses.js`,
    changes: [["and token = $3 and status is null'", "and ($3::uuid is not null)'"]],
  },
  {
    name: 'remembered-after-the-effect',
    decision: 17,
    fault: 'the response is stored in a transaction of its own, behind that of the effect',
    file: 'libs/service-host/dist/http/api-call.js',
    changes: [['await this.idempotency?.completeMany(tx, [run]);', 'this.stored = false;']],
  },
  {
    name: 'errors-after-a-commit-free-the-key',
    decision: 17,
    fault: 'a commit whose answer was lost gives the key away',
    file: `${KEYS}/stored-responses.js`,
    changes: [["and token = $3 and status is null'", "and token = $3'"]],
  },
  {
    name: 'keys-are-given-up-while-held',
    decision: 109,
    fault: 'a service gives a key up that it holds',
    file: `${KEYS}/key-register.js`,
    changes: [
      [
        "where record.home is not null or record.expires_at <= clock_timestamp() or ${isAbandoned('record')}\n  returning token",
        'returning token',
      ],
    ],
  },
  {
    name: 'given-up-entries-claim',
    decision: 109,
    fault: 'a request whose entry was given up on its way claims the key',
    file: `${KEYS}/idempotency.rules.js`,
    changes: [
      ["return BigInt(asked.entry) > BigInt(record.entry) ? 'expired' : 'mismatch';", "return 'expired';"],
    ],
  },
  {
    name: 'takeovers-do-not-look',
    decision: 70,
    fault: 'a takeover does not look whether the run still has its lease',
    survives: 'the record was read as expired just before, and the token fences its run',
    file: `${KEYS}/claims.js`,
    changes: [
      [
        "record.expires_at <= clock_timestamp() or ${isAbandoned('record')}\n       or (record.home",
        'true\n       or (record.home',
      ],
    ],
  },
  {
    name: 'the-register-is-not-asked',
    decision: 109,
    fault: "a key is its service's, not its account's",
    file: 'services/gateway/dist/forward/idempotency-register.js',
    changes: [
      [
        'if (service === IDEMPOTENCY_REGISTER)\n            return undefined;',
        'if (service) return undefined;',
      ],
    ],
  },
];
