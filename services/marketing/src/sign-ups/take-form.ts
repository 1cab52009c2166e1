import { Inject, Injectable } from '@nestjs/common';
import { wellFormed } from '@postmesh/contracts';
import { FormTimes } from '@postmesh/public-links';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { readContactEmail } from '../contacts/contact-email.rules.js';
import { answersOf, FIELD_OF, isAsked, readAnswers, type AnswerFault } from './form-attributes.rules.js';
import { RequestSignUp } from './request-sign-up.js';
import type { SignUpForm } from './sign-up-forms.js';
import { FIELD, type FilledIn } from './sign-up-pages.js';

/** A form that comes back faster was filled in by a program; a page that is older is made once more. */
const FASTEST_MS = 1_000;
const OLDEST_MS = 24 * 3_600_000;

const MAX_NAME = 255;

/** The field for which a form is not taken. */
export type FormFault = 'address' | 'consent' | 'time' | AnswerFault;

/** Takes the fields of a form, as they come from its page or as JSON. */
@Injectable()
export class TakeForm {
  private readonly times: FormTimes;

  constructor(
    private readonly requests: RequestSignUp,
    @Inject(SETTINGS) { secretKeys }: Settings,
  ) {
    this.times = new FormTimes(secretKeys);
  }

  /** @param answers of JSON @returns undefined when it is taken, for every address alike */
  async execute(
    form: SignUpForm,
    given: ReadonlyMap<string, string>,
    answers?: Readonly<Record<string, unknown>>,
  ): Promise<FormFault | undefined> {
    const filled = filledIn(form, given);
    const email = readContactEmail(filled.email);
    if (email === undefined) return 'address';
    const asked = form.attributes.filter(isAsked);
    const read = readAnswers(asked, answers ?? answersOf(asked, given));
    if (!('values' in read)) return read;
    if (!given.has(FIELD.consent)) return 'consent';
    if (!this.isOfPerson(form, given)) return 'time';
    // a program that fills in everything gets the answer of all others
    if ((given.get(FIELD.trap) ?? '') !== '') return undefined;
    const { first_name: firstName = '', last_name: lastName = '' } = filled.names;
    await this.requests.execute({ form, email, firstName, lastName, attributes: read.values, way: 'form' });
    return undefined;
  }

  timeOf({ id }: SignUpForm): string {
    return this.times.sign(id, Date.now());
  }

  /** The time of the first page, so that a person who is asked again need not wait again. */
  timeAgain(form: SignUpForm, given: ReadonlyMap<string, string>): string {
    const age = this.ageOf(form, given);
    return age !== undefined && age <= OLDEST_MS ? (given.get(FIELD.time) ?? '') : this.timeOf(form);
  }

  private isOfPerson(form: SignUpForm, given: ReadonlyMap<string, string>): boolean {
    const age = this.ageOf(form, given);
    return age !== undefined && age >= FASTEST_MS && age <= OLDEST_MS;
  }

  /** ms since the page was made; undefined: its time is not ours */
  private ageOf({ id }: SignUpForm, given: ReadonlyMap<string, string>): number | undefined {
    const madeAt = this.times.read(id, given.get(FIELD.time) ?? '');
    return madeAt === undefined ? undefined : Date.now() - madeAt;
  }
}

export function filledIn({ fields, attributes }: SignUpForm, given: ReadonlyMap<string, string>): FilledIn {
  const names = fields.map((name) => {
    const text = [...(given.get(name) ?? '')].slice(0, MAX_NAME).join('');
    return [name, wellFormed(text.replaceAll(/\p{Cc}+/gu, ' ').trim())];
  });
  return {
    email: [...(given.get(FIELD.email) ?? '')].slice(0, 320).join(''),
    names: Object.fromEntries(names),
    answers: Object.fromEntries(attributes.map(({ key }) => [key, given.get(FIELD_OF + key) ?? ''])),
  };
}
