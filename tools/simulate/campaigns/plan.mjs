// @ts-check
// The plan of a life of campaigns, from its seed: which are sent to whom, who holds them, and which faults come when.
import { faultOf, lineOfFault } from '../faults.mjs';
import { randomOf } from '../random.mjs';

/**
 * @typedef {object} Campaign
 * @property {string} name
 * @property {number} members of its list: contacts from the first one on
 * @property {number | undefined} trialShare percent of the recipients, for two variants; undefined: no trial
 */
/** @typedef {'pause' | 'resume' | 'cancel'} Act */
/**
 * @typedef {import('../faults.mjs').Fault | ({ at: number } & (
 *   | { kind: 'send', campaign: Campaign }
 *   | { kind: 'account', isActive: boolean }
 *   | { kind: Act, campaign: string }))} Step `at`: ms from the beginning
 */
/** @typedef {{ seed: number, life: number, workers: string[], dailyLimit: number | undefined, steps: Step[] }} Plan steps in the order of time */

const SPAN_MS = 40_000;

/** @param {number} seed @param {number} life @returns {Plan} */
export function planOf(seed, life) {
  const random = randomOf(seed, life, 'plan of campaigns');
  const workers = ['c1', 'c2'];
  /** @type {Step[]} */
  const steps = [];
  const isLimited = random.chance(0.2);
  for (let nth = random.between(1, 2); nth > 0; nth--) {
    const campaign = {
      name: `c${nth}`,
      members: random.between(2, 13),
      trialShare: random.chance(0.2) ? random.between(20, 70) : undefined,
    };
    const at = random.below(8_000);
    steps.push({ at, kind: 'send', campaign });
    const later = () => at + random.below(SPAN_MS - 8_000);
    if (random.chance(0.35)) {
      const paused = later();
      steps.push({ at: paused, kind: 'pause', campaign: campaign.name });
      if (random.chance(0.8))
        steps.push({ at: paused + random.below(15_000), kind: 'resume', campaign: campaign.name });
    }
    if (random.chance(0.25)) steps.push({ at: later(), kind: 'cancel', campaign: campaign.name });
  }
  if (random.chance(0.2)) {
    const at = random.below(SPAN_MS);
    steps.push({ at, kind: 'account', isActive: false });
    steps.push({ at: at + random.between(2_000, 20_000), kind: 'account', isActive: true });
  }
  for (let faults = random.below(6); faults > 0; faults--)
    steps.push(faultOf(random, random.below(SPAN_MS), random.pick(workers)));
  steps.sort((one, other) => one.at - other.at);
  return { seed, life, workers, dailyLimit: isLimited ? random.between(3, 12) : undefined, steps };
}

/** The subject of a content, by which a message shows its variant. @param {number} variant */
export const subjectOf = (variant) => (variant === 0 ? 'Spring' : `Spring ${variant}`);

/** The answer of the messages service about a contact. @param {Plan} plan @param {string} name of the campaign @param {number} nth */
export function kindOf({ seed, life }, name, nth) {
  const luck = randomOf(seed, life, 'contact', name, nth).next();
  return luck < 0.05 ? 'failed' : luck < 0.17 ? 'suppressed' : 'reader';
}

/** A step as a line for people. @param {Step} step */
export function lineOf(step) {
  const at = `${(step.at / 1_000).toFixed(3).padStart(8)} s  `;
  switch (step.kind) {
    case 'send': {
      const { name, members, trialShare } = step.campaign;
      const trial = trialShare === undefined ? '' : `, with a trial of ${trialShare} %`;
      return `${at}${name} is due for ${members} contacts${trial}`;
    }
    case 'account':
      return `${at}the account becomes ${step.isActive ? 'active' : 'suspended'}`;
    case 'pause':
    case 'resume':
    case 'cancel':
      return `${at}${step.campaign}: ${step.kind}`;
    default:
      return lineOfFault(step);
  }
}
