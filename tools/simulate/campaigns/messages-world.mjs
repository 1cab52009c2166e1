// @ts-check
// The messages service of a world, as marketing sees it: it stores a message once per id, and calls to it arrive late, fail, or
// lose their answers.
import { runIn } from '../virtual-time.mjs';

/**
 * @typedef {object} Stored a message, or an address that is suppressed
 * @property {string} id
 * @property {string} campaignId
 * @property {string} contactId
 * @property {string} subject
 * @property {'accepted' | 'suppressed'} outcome
 * @property {number} at
 * @property {number} outcomeAt of its first outcome; Infinity: none yet
 */

const FAILED = 0.06;
const REFUSED = 0.02;
const LOST = 0.12;
const SLOW = 0.15;

export class MessagesWorld {
  /** @type {Map<string, Stored>} */
  stored = new Map();
  isActive = true;
  requests = 0;
  /** requests that did not arrive yet */
  underWay = 0;

  /**
   * @param {import('./life.mjs').Life} life
   * @param {(stored: Stored) => void} made
   */
  constructor(life, made) {
    this.life = life;
    this.made = made;
  }

  /** In the place of `InternalClient`. @param {import('./marketing-process.mjs').MarketingProcess} owner */
  clientOf(owner) {
    const { time, random } = this.life;
    return {
      /** @param {string} _service @param {{ body: any }} request */
      send: (_service, { body }) =>
        new Promise((resolve, reject) => {
          const given = structuredClone(body);
          const back = (/** @type {() => void} */ run) =>
            time.after(random.between(1, 400), () => owner.isAlive && runIn(owner, run), owner);
          const answer = (/** @type {number} */ status, /** @type {object} */ said = {}) =>
            back(() => resolve({ status, bytes: Buffer.from(JSON.stringify(said)) }));
          this.requests++;
          this.underWay++;
          time.after(random.chance(SLOW) ? random.between(400, 9_000) : random.between(1, 200), () => {
            this.underWay--;
            if (random.chance(FAILED)) return answer(503);
            if (random.chance(REFUSED)) return answer(422);
            const said = this.take(given);
            if (random.chance(LOST)) return back(() => reject(new Error('socket hang up')));
            return answer(200, said);
          });
        }),
    };
  }

  /** As `POST /internal/campaign-sends` (services/messages/src/campaign-sends). @param {any} request */
  take({ campaign_id: campaignId, content, recipients }) {
    const fresh = recipients.filter((/** @type {any} */ one) => !this.stored.has(one.message_id));
    if (fresh.length > 0 && !this.isActive) return { ok: false, problem: 'account_suspended' };
    for (const { message_id: id, contact_id: contactId, email } of fresh) {
      if (email.startsWith('failed')) continue;
      const outcome = email.startsWith('suppressed') ? 'suppressed' : 'accepted';
      const about = { id, campaignId, contactId, subject: content.subject };
      /** @type {Stored} */
      const stored = { ...about, outcome, at: this.life.time.now, outcomeAt: Infinity };
      this.stored.set(id, stored);
      this.made(stored);
    }
    const outcomeOf = (/** @type {string} */ id) => this.stored.get(id)?.outcome ?? 'failed';
    return {
      ok: true,
      recipients: recipients.map((/** @type {any} */ { message_id }) => ({
        ...{ message_id, outcome: outcomeOf(message_id) },
      })),
    };
  }
}
