// @ts-check
// Campaigns with a trial of two subjects during kills: each recipient gets one message, and all others the winner's subject.

/** The subject of the campaign itself. */
export const TRIAL_SUBJECT = 'News A';
const OTHER = 'News B';
const SUBJECTS = [TRIAL_SUBJECT, OTHER];
const TRIAL = { metric: 'opened', share: 40, wait_minutes: 1 };

export const isTrying = (/** @type {string} */ recipient) => recipient.startsWith('trial');
export const trialRecipient = (/** @type {number} */ round, /** @type {number} */ nth) =>
  `trial${round}-${nth}@mail.test`;

/** @param {import('./sign-ups.mjs').ConsoleClient} session @param {string} id of a draft */
export async function makeTrial(session, id) {
  const trial = { ...TRIAL, variants: [{ subject: OTHER, template_id: null }] };
  await session.must('PUT', `/campaigns/${id}/trial`, { trial });
}

/** @param {import('./sign-ups.mjs').ConsoleClient} session @param {import('./book.mjs').Campaign} campaign */
export async function readTrial(session, campaign) {
  const { winner, results } = await session.must('GET', `/campaigns/${campaign.id}/trial`);
  campaign.trial = { winner, tried: results.reduce((sum, { recipients }) => sum + recipients, 0) };
}

/**
 * By the subjects that arrived: both variants in the trial, in turn, and the winner's for everyone else.
 * @param {import('./book.mjs').Book} book @returns {string[]} what is wrong
 */
export function wrongTrials({ campaigns, subjects, items }) {
  const several = [...subjects]
    .filter(([, found]) => found.size > 1)
    .map(([recipient]) => `${recipient} got both`);
  const ofTrials = campaigns.filter(({ trial }) => trial !== undefined);
  const counted = ofTrials.flatMap(({ id, recipients, trial }) => {
    const of = [...items.values()].filter(({ kind, campaign }) => kind === 'trial' && campaign === id);
    const got = SUBJECTS.map(
      (subject) => of.filter(({ recipient }) => subjects.get(recipient)?.has(subject)).length,
    );
    const { winner, tried } = trial ?? { winner: null, tried: 0 };
    if (winner === null) return [`${id}: no winner`];
    const wanted = SUBJECTS.map(
      (_, nth) => Math.floor((tried + 1 - nth) / 2) + (nth === winner ? recipients - tried : 0),
    );
    return got.join() === wanted.join()
      ? []
      : [`${id}: ${got.join(' and ')} instead of ${wanted.join(' and ')}`];
  });
  return [...several, ...counted];
}
