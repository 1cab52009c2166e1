// @ts-check
// The verdict of a restore drill, without I/O. Messages accepted before the begin of the backup must exist, be
// delivered and reach the webhooks; messages that were sent after it, according to the log, must not be sent again.
import { brokenRecords, lostItems, missingEvents, missingRouteCalls, strangers } from './verdict.rules.mjs';

/**
 * @typedef {import('./book.mjs').Book} Book
 *
 * @typedef {object} Drill the observations of one drill
 * @property {Book} book only with items that were accepted before the backup began, read from the restored installation
 * @property {ReadonlyMap<string, number>} arrivedBefore arrivals by recipient when the backup began
 * @property {ReadonlyMap<string, number>} arrivedAtLoss when the installation was lost
 * @property {ReadonlyMap<string, number>} arrivedWhileOff at the end of the time in which deliveries were off
 * @property {ReadonlySet<string>} logged recipients whose delivery is in the log of the lost installation
 * @property {readonly string[]} later recipients that were accepted after the backup began
 * @property {number} marked deliveries that were ended by the log
 * @property {readonly string[]} broken failures of an old key, login or suppression
 *
 * @typedef {object} RestoreFacts
 * @property {number} required
 * @property {number} waiting
 * @property {number} sentMeanwhile
 * @property {number} marked
 * @property {number} sentTwice
 * @property {number} repeatedEvents
 * @property {number} acceptedLater
 * @property {number} sentLater
 *
 * @typedef {{ facts: RestoreFacts, findings: Record<string, string[]>, isKept: boolean }} RestoreVerdict
 */

/** @param {Drill} drill @returns {RestoreVerdict} */
export function judgeRestore(drill) {
  const { book, arrivedBefore, arrivedAtLoss, arrivedWhileOff, logged, later, marked, broken } = drill;
  const items = [...book.items.values()];
  const leaving = items.filter(({ kind }) => kind !== 'inbound' && kind !== 'sandbox');
  const waiting = leaving.filter(({ recipient }) => !arrivedBefore.has(recipient));
  const twice = leaving.filter(({ recipient }) => (book.arrivals.get(recipient) ?? 0) > 1);
  const findings = {
    lost: lostItems(book, items),
    'webhook event missing': missingEvents(book, items),
    'route call missing': missingRouteCalls(book, items),
    'inbound record differs from the sent message': brokenRecords(items),
    'sent again, although the log records its delivery': twice
      .filter(({ recipient }) => logged.has(recipient))
      .map(({ recipient }) => recipient),
    'sent while deliveries were off': [...arrivedWhileOff]
      .filter(([recipient, count]) => count !== arrivedAtLoss.get(recipient))
      .map(([recipient]) => recipient),
    'arrived, but never accepted': strangers(book),
    'earlier key, login or suppression no longer works': [...broken],
  };
  return {
    facts: {
      required: items.length,
      waiting: waiting.length,
      sentMeanwhile: waiting.filter(({ recipient }) => arrivedAtLoss.has(recipient)).length,
      marked,
      sentTwice: twice.length,
      repeatedEvents: [...book.events.values()].filter(({ ids }) => ids.size > 1).length,
      acceptedLater: later.length,
      sentLater: later.filter((recipient) => book.arrivals.has(recipient)).length,
    },
    findings,
    isKept: Object.values(findings).every((found) => found.length === 0),
  };
}
